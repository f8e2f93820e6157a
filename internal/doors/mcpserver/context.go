package mcpserver

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

type contextInput struct{ verb.Context }

func (in *contextInput) call(ctx context.Context, s *session) (reply, error) {
	q, err := in.Query(s.now())
	if err != nil {
		return reply{}, err
	}
	scope := s.scope
	switch in.Project {
	case "", "current":
		if s.server.Work != nil {
			q.Work = s.server.Work(ctx)
		}
	case "none":
		scope.Project, scope.Also = "", nil
	case hippo.AllProjects, "all":
		return reply{}, hippo.Fieldf("project", "must be one project, or none")
	default:
		names, err := memory.ResolveProject(ctx, s.Memories, in.Project)
		if err != nil {
			return reply{}, err
		}
		scope.Project, scope.Also = names[0], names[1:]
	}
	b, err := query.Context(ctx, s.In(scope), q)
	if err != nil {
		return reply{}, err
	}
	text := b.Text
	if text == "" {
		text = "Nothing to know yet."
		if b.LowTrust > 0 {
			text = fmt.Sprintf("Nothing that somebody confirmed. %d of low trust are not shown: hippo_search_insights finds them.", b.LowTrust)
		}
	}
	return reply{text: text, data: wire.ContextOf(b), count: len(b.Items)}, nil
}
