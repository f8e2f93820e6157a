package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/verb"
)

type auditInput struct {
	verb.Audit
	projects inProjects
}

func (in *auditInput) Args() []verb.Arg { return append(in.Audit.Args(), in.projects.Args()...) }

func (in *auditInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request()
	if err != nil {
		return reply{}, err
	}
	if q.Projects, err = memory.KnownProjects(ctx, r.Memories, projectsOf(in.projects.projects)...); err != nil {
		return reply{}, err
	}
	report, err := upkeep.Audit(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.AuditOf(report), count: len(report.Findings)}, nil
}
