package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

type reinforceInput struct {
	// The query is the question that the votes are about; nil: the last search that showed each memory.
	verb.Ballot
	// ids get the vote; another form of the lists.
	ids  verb.Refs
	vote string
}

// votes moves the ids to the list of their vote.
func (in *reinforceInput) votes() error {
	if in.ids.Texts == nil && in.vote == "" {
		return nil
	}
	to := &in.Up
	switch in.vote {
	case "upvote":
	case "downvote":
		to = &in.Down
	case "undo":
		to = &in.Undo
	default:
		return verb.Misshapen("vote", "must be one of upvote, downvote, undo, got %.60q", in.vote)
	}
	to.Name, to.Texts = in.ids.Name, append(to.Texts, in.ids.Texts...)
	return nil
}

// Args implements [verb.Object].
func (in *reinforceInput) Args() []verb.Arg {
	return append(in.Ballot.Args(),
		verb.Arg{Name: "uuids", Also: "uuid ids id", To: &in.ids},
		verb.Arg{Name: "vote", Also: "reinforce", Values: verb.Votes(), To: &in.vote})
}

func (in *reinforceInput) call(ctx context.Context, s *session) (reply, error) {
	if err := in.votes(); err != nil {
		return reply{}, err
	}
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
	rs, err := engine.Cast(ctx, s.Memories, b)
	if err != nil {
		return reply{}, err
	}
	short := engine.ShortIDs(s.Memories, ids)
	var text strings.Builder
	fmt.Fprintf(&text, "Applied reinforcement to %s", insights(len(rs)))
	for _, r := range rs {
		fmt.Fprintf(&text, "\n%s %s -> %s", short.Of(r.ID), decimal(r.Before), decimal(r.After))
	}
	return reply{text: text.String(), data: wire.ReinforcedOf(rs), meta: wire.Meta{IDs: ids}, count: len(rs)}, nil
}
