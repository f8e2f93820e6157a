package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/wire"
)

const reinforceSchema = `{"type":"object","properties":{
"upvotes":{"type":"array","items":{"type":"string"},"description":"ids"},
"downvotes":{"type":"array","items":{"type":"string"}}}}`

type reinforceInput struct {
	up, down refs
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
	default:
		return misshapen("vote", "must be upvote or downvote, got %.40q", string(in.vote))
	}
	to.name, to.list = in.ids.name, append(to.list, in.ids.list...)
	return nil
}

func (in *reinforceInput) fields() []field {
	return []field{
		{name: "upvotes", also: "upvote up", to: &in.up},
		{name: "downvotes", also: "downvote down", to: &in.down},
		{name: "uuids", also: "uuid ids id", to: &in.ids, unlisted: true},
		{name: "vote", also: "reinforce", to: &in.vote, unlisted: true},
	}
}

// reinforced is the structured content of votes.
type reinforced struct {
	Reinforced []effect `json:"reinforced"`
}

// effect is what a vote did to the importance as of today.
type effect struct {
	UUID   hippo.ID `json:"uuid"`
	Before float64  `json:"before"`
	After  float64  `json:"after"`
}

func (in *reinforceInput) call(ctx context.Context, s *session) (reply, error) {
	if err := in.votes(); err != nil {
		return reply{}, err
	}
	up, err := s.resolve(ctx, in.up, engine.PreferLive)
	if err != nil {
		return reply{}, err
	}
	down, err := s.resolve(ctx, in.down, engine.PreferLive)
	if err != nil {
		return reply{}, err
	}
	rs, err := s.Reinforce(ctx, up, down)
	if err != nil {
		return reply{}, err
	}
	short := engine.ShortIDs(s.Memories, slices.Concat(up, down))
	out := reinforced{Reinforced: make([]effect, len(rs))}
	var text strings.Builder
	fmt.Fprintf(&text, "Applied reinforcement to %s", insights(len(rs)))
	for i, r := range rs {
		out.Reinforced[i] = effect{UUID: r.ID, Before: wire.Round(r.Before, 6), After: wire.Round(r.After, 6)}
		fmt.Fprintf(&text, "\n%s %s -> %s", short.Of(r.ID), decimal(r.Before), decimal(r.After))
	}
	return reply{text: text.String(), data: out, meta: wire.Meta{IDs: slices.Concat(up, down)}, count: len(rs)}, nil
}
