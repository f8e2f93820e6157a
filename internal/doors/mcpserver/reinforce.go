package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// reinforceInput is votes. The query is the question that they are about; nil: the last search that showed each memory.
type reinforceInput struct{ verb.Ballot }

func (in *reinforceInput) call(ctx context.Context, s *session) (reply, error) {
	b, err := in.Resolve(ctx, s.Memories)
	if err != nil {
		return reply{}, err
	}
	ids := slices.Concat(b.Up, b.Down, b.Undo)
	if len(ids) == 0 {
		return reply{}, verb.Misshapen("upvotes", "is required, or downvotes, and must not be blank")
	}
	if in.Query == nil {
		b.Asked = s.conversation.found(ids)
	}
	rs, err := memory.Cast(ctx, s.Memories, b)
	if err != nil {
		return reply{}, err
	}
	short := memory.ShortIDs(s.Memories, ids)
	var text strings.Builder
	fmt.Fprintf(&text, "Applied reinforcement to %s", insights(len(rs)))
	for _, r := range rs {
		fmt.Fprintf(&text, "\n%s %s -> %s", short.Of(r.ID), decimal(r.Before), decimal(r.After))
	}
	return reply{text: text.String(), data: wire.ReinforcedOf(rs), meta: wire.Meta{IDs: ids}, count: len(rs)}, nil
}
