package engine

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Vote is feedback on one memory.
type Vote string

// The votes. The zero value leaves the decision to [Engine.Modify].
const (
	VoteNone Vote = "none"
	VoteUp   Vote = "upvote"
	VoteDown Vote = "downvote"
)

// Modification is what to change in a memory; nil fields stay.
type Modification struct {
	Content    *string
	Situation  *[]string
	Tags       *[]string
	Type       *string
	Importance *float64
	Pinned     *bool
	// Vote is applied after the rest. Empty: an upvote if content or situation
	// really change and no importance is given (what is reworked is in use),
	// else none.
	Vote Vote
	// Supersedes are memories that this one takes the place of, as in [Engine.Record].
	Supersedes *[]hippo.ID
}

// Modify changes one memory and returns it as stored. An unknown id is
// [hippo.ErrNotFound]; a modification that would change nothing is [hippo.ErrInvalid].
func (e *Engine) Modify(ctx context.Context, id hippo.ID, c Modification) (*hippo.Memory, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Supersedes != nil {
		return e.supersede(ctx, id, c)
	}
	ms, err := e.update(ctx, []hippo.ID{id}, func(m *hippo.Memory, day hippo.Day) error {
		e.apply(c, m, day)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ms[0], nil
}

func (c *Modification) validate() error {
	if *c == (Modification{}) {
		return hippo.Fieldf("Modification", "must change at least one field")
	}
	if c.Importance != nil {
		if err := hippo.ValidUnit("importance", *c.Importance); err != nil {
			return err
		}
	}
	switch c.Vote {
	case "", VoteNone, VoteUp, VoteDown:
		return nil
	default:
		return hippo.Fieldf("Vote", "must be upvote, downvote or none, got %q", string(c.Vote))
	}
}

func (e *Engine) apply(c Modification, m *hippo.Memory, day hippo.Day) {
	reworked := c.Content != nil && *c.Content != m.Content ||
		c.Situation != nil && !slices.Equal(*c.Situation, m.Situation)
	set(&m.Content, c.Content)
	set(&m.Situation, c.Situation)
	set(&m.Tags, c.Tags)
	set(&m.Type, c.Type)
	set(&m.Pinned, c.Pinned)
	if c.Importance != nil {
		m.Importance = hippo.Importance{Base: *c.Importance, Value: *c.Importance, SetDay: day, SetAt: e.now()}
	}
	vote := c.Vote
	if vote == "" && reworked && c.Importance == nil {
		vote = VoteUp
	}
	e.vote(m, vote, day)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
