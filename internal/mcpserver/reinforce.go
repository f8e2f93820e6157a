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
}

func (in *reinforceInput) fields() []field {
	return []field{{name: "upvotes", to: &in.up}, {name: "downvotes", to: &in.down}}
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
	up, err := s.resolve(ctx, in.up, false)
	if err != nil {
		return reply{}, err
	}
	down, err := s.resolve(ctx, in.down, false)
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
