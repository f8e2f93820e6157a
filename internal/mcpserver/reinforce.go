package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/wire"
)

const reinforceSchema = `{"type":"object","additionalProperties":false,"properties":{
"upvotes":{"type":"array","items":{"type":"string","format":"uuid"}},
"downvotes":{"type":"array","items":{"type":"string","format":"uuid"}}}}`

type reinforceInput struct {
	up, down []hippo.ID
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
	rs, err := s.Reinforce(ctx, in.up, in.down)
	if err != nil {
		return reply{}, err
	}
	out := reinforced{Reinforced: make([]effect, len(rs))}
	var text strings.Builder
	fmt.Fprintf(&text, "Applied reinforcement to %s", insights(len(rs)))
	for i, r := range rs {
		out.Reinforced[i] = effect{UUID: r.ID, Before: wire.Round(r.Before, 6), After: wire.Round(r.After, 6)}
		fmt.Fprintf(&text, "\n%v %.2f -> %.2f", r.ID, r.Before, r.After)
	}
	return reply{text: text.String(), data: out}, nil
}
