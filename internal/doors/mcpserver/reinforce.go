package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
)

const reinforceSchema = `{"type":"object","properties":{
"upvotes":{"type":"array","items":{"type":"string"},"description":"ids"},
"downvotes":{"type":"array","items":{"type":"string"}},
"query":{"type":"string","description":"default: last search"}}}`

type reinforceInput struct {
	up, down refs
	// undo takes back the newest votes.
	undo refs
	// query is the question that the votes are about; nil: the last search that showed each memory.
	query *string
	// ids get the vote; another form of the two lists.
	ids  refs
	vote keyword
}

// votes moves the ids to the list of their vote.
func (in *reinforceInput) votes() error {
	if in.ids.list == nil && in.vote == "" {
		return nil
	}
	to := &in.up
	switch in.vote {
	case "upvote":
	case "downvote":
		to = &in.down
	case "undo":
		to = &in.undo
	default:
		return misshapen("vote", "must be one of upvote, downvote, undo, got %.60q", string(in.vote))
	}
	to.name, to.list = in.ids.name, append(to.list, in.ids.list...)
	return nil
}

func (in *reinforceInput) fields() []field {
	return []field{
		{name: "upvotes", also: "upvote up", to: &in.up},
		{name: "downvotes", also: "downvote down", to: &in.down},
		{name: "query", also: "question", to: &in.query},
		{name: "undo", to: &in.undo, unlisted: true},
		{name: "uuids", also: "uuid ids id", to: &in.ids, unlisted: true},
		{name: "vote", also: "reinforce", to: &in.vote, unlisted: true},
	}
}

func (in *reinforceInput) call(ctx context.Context, s *session) (reply, error) {
	if err := in.votes(); err != nil {
		return reply{}, err
	}
	up, err := s.resolve(ctx, in.up, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	down, err := s.resolve(ctx, in.down, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	undo, err := s.resolve(ctx, in.undo, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	ids := slices.Concat(up, down, undo)
	if len(ids) == 0 {
		return reply{}, misshapen("upvotes", "is required, or downvotes, and must not be blank")
	}
	b := api.Reinforce{Up: up, Down: down, Undo: undo}
	if b.Query, err = engine.Question(in.query); err != nil {
		return reply{}, err
	}
	if in.query == nil {
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
