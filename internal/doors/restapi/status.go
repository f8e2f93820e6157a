package restapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

type statusInput struct{}

func (*statusInput) Args() []verb.Arg { return nil }

func (*statusInput) call(ctx context.Context, r *request) (reply, error) {
	st, err := memory.Status(ctx, r.Memories)
	if err != nil {
		return reply{}, err
	}
	out := wire.StatusOf(&st)
	out.Namespace, out.Project, out.Version = r.scope.Namespace, r.scope.Project, r.server.Version
	if r.scope.Allows(hippo.RightAdmin) {
		out.Store = r.server.Store
	} else { // the reasons may name paths of the server
		for i := range out.Models {
			if m := &out.Models[i]; m.Error != "" {
				m.Error = wire.Discreet(hippo.CodeUnavailable)
			}
		}
	}
	return reply{status: http.StatusOK, data: out}, nil
}

type projectsInput struct{}

func (*projectsInput) Args() []verb.Arg { return nil }

// projects are the projects that have memories.
type projects struct {
	Projects []string `json:"projects"`
}

func (*projectsInput) call(ctx context.Context, r *request) (reply, error) {
	list, err := memory.Projects(ctx, r.Memories)
	if list == nil {
		list = []string{}
	}
	return reply{status: http.StatusOK, data: projects{list}, count: len(list)}, err
}

type contextInput struct{ verb.Context }

func (in *contextInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Query(r.now())
	if err != nil {
		return reply{}, err
	}
	m, err := in.Project.In(ctx, r.Memories)
	if err != nil {
		return reply{}, err
	}
	b, err := query.Context(ctx, m, q)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: wire.ContextOf(b), count: len(b.Items)}, nil
}

type documentInput struct{}

func (*documentInput) Args() []verb.Arg { return nil }

func (*documentInput) call(_ context.Context, r *request) (reply, error) {
	return reply{status: http.StatusOK, data: json.RawMessage(r.server.document())}, nil
}
