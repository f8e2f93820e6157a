package restapi

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/verb"
)

type auditInput struct {
	verb.Audit
	projects verb.Projects
}

func (in *auditInput) Args() []verb.Arg {
	return append(in.Audit.Args(), verb.ProjectArg(&in.projects))
}

func (in *auditInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request()
	if err != nil {
		return reply{}, err
	}
	if q.Projects, err = in.projects.Filter(ctx, r.Memories, nil); err != nil {
		return reply{}, err
	}
	report, err := upkeep.Audit(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.AuditOf(report), count: len(report.Findings)}, nil
}
