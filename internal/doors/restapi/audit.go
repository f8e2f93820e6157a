package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/verb"
)

type auditInput struct {
	projects *[]string
	idle     int
	limit    int
}

func newAuditInput() input { return &auditInput{idle: consolidate.IdleDays, limit: hippo.DefaultCount} }

func (in *auditInput) Args() []verb.Arg {
	return []verb.Arg{
		{Name: "project", To: &in.projects, About: `of one of these projects; "none" is none, "*" all. Default: the current project of the token and none, or all if it has no current one`},
		{
			Name: "idle", To: &in.idle, Rules: verb.Schema{"minimum": 1, "default": consolidate.IdleDays},
			About: "active days without use after which a memory counts as idle",
		},
		{Name: "limit", To: &in.limit, About: "findings of each problem", Rules: verb.Schema{"minimum": 1, "maximum": hippo.MaxCount, "default": hippo.DefaultCount}},
	}
}

func (in *auditInput) call(ctx context.Context, r *request) (reply, error) {
	o := api.Audit{Idle: in.idle, Limit: in.limit}
	var err error
	if o.Projects, err = engine.KnownProjects(ctx, r.Memories, projectsOf(in.projects)...); err != nil {
		return reply{}, err
	}
	switch {
	case o.Idle < 1:
		return reply{}, hippo.Fieldf("idle", "must be 1 or more, got %d", o.Idle)
	case o.Limit < 1:
		return reply{}, hippo.Fieldf("limit", "must be between 1 and %d, got %d", hippo.MaxCount, o.Limit)
	}
	report, err := engine.Audit(ctx, r.Memories, o)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.AuditOf(report), count: len(report.Findings)}, nil
}
