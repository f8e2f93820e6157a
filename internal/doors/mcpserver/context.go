package mcpserver

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

type contextInput struct{ verb.Context }

func (in *contextInput) call(ctx context.Context, s *session) (reply, error) {
	q, err := in.Query(s.now())
	if err != nil {
		return reply{}, err
	}
	m, err := in.Project.In(ctx, s.Memories)
	if err != nil {
		return reply{}, err
	}
	if m.Scope.Project == s.scope.Project && s.server.Work != nil {
		q.Work = s.server.Work(ctx)
	}
	b, err := query.Context(ctx, m, q)
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
