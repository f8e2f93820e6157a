package engine

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Reinforcement is the effect of a vote on one memory.
type Reinforcement struct {
	ID hippo.ID
	// Before and After are the decayed importance, in [0, 1].
	Before, After float64
}

// Reinforce applies one upvote to each of up and one downvote to each of down,
// in one transaction, and returns the effects, up first. A repeated ID counts
// once; an ID in both lists is [hippo.ErrInvalid]; with an unknown ID nothing
// is changed and the error lists all that are unknown.
func (e *Engine) Reinforce(ctx context.Context, up, down []hippo.ID) ([]Reinforcement, error) {
	up, down = distinct(up), distinct(down)
	if len(up)+len(down) == 0 {
		return nil, hippo.Fieldf("upvotes", "and downvotes must not both be empty")
	}
	if len(up)+len(down) > hippo.MaxIDs {
		return nil, hippo.Fieldf("upvotes", "and downvotes must have at most %d elements together, got %d", hippo.MaxIDs, len(up)+len(down))
	}
	for _, id := range down {
		if slices.Contains(up, id) {
			return nil, hippo.Fieldf("downvotes", "must not repeat an id of upvotes: %v", id)
		}
	}
	effects := make(map[hippo.ID]Reinforcement, len(up)+len(down))
	ms, err := e.update(ctx, slices.Concat(up, down), func(m *hippo.Memory, day hippo.Day) error {
		v := VoteDown
		if slices.Contains(up, m.ID) {
			v = VoteUp
		}
		effects[m.ID] = e.vote(m, v, day)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]Reinforcement, len(ms))
	for i, m := range ms {
		out[i] = effects[m.ID]
	}
	return out, nil
}

// vote applies v to m on day.
func (e *Engine) vote(m *hippo.Memory, v Vote, day hippo.Day) Reinforcement {
	now := e.days.At(day).Importance(m.Importance.Value, m.Importance.SetDay, m.Pinned)
	r := Reinforcement{ID: m.ID, Before: now, After: now}
	switch v {
	case VoteUp:
		r.After = e.weights.UpvoteOf(now)
	case VoteDown:
		r.After = e.weights.DownvoteOf(now)
	default:
		return r
	}
	m.Importance.Value, m.Importance.SetDay, m.Importance.SetAt = r.After, day, e.now()
	return r
}

func distinct(ids []hippo.ID) []hippo.ID {
	out := make([]hippo.ID, 0, len(ids))
	seen := make(map[hippo.ID]bool, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
