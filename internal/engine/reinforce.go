package engine

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Vote is feedback on one memory.
type Vote string

// The votes. The zero value leaves the decision to [Memories.Modify].
const (
	VoteNone Vote = "none"
	VoteUp   Vote = "upvote"
	VoteDown Vote = "downvote"
)

// Reinforcement is the effect of a vote on one memory.
type Reinforcement struct {
	ID hippo.ID
	// Before and After are the decayed importance, in [0, 1].
	Before, After float64
}

// Reinforce applies one upvote to each of up and one downvote to each of down, in one
// transaction, and returns the effects, up first. A repeated ID counts once; an ID in both
// lists is [hippo.ErrInvalid]; with an unknown ID nothing is changed and the error lists all
// that are unknown.
func (m *Memories) Reinforce(ctx context.Context, up, down []hippo.ID) ([]Reinforcement, error) {
	versions, err := versionsOf(ctx, m, slices.Concat(up, down))
	if err != nil {
		return nil, err
	}
	return perform(ctx, m, reinforceArgs{up, down, versions}, reinforce)
}

// reinforceArgs are the arguments of [Memories.Reinforce].
type reinforceArgs struct {
	Up, Down []hippo.ID
	Versions versions
}

func reinforce(ctx context.Context, m *Memories, a reinforceArgs) ([]Reinforcement, error) {
	up, down := a.Up, a.Down
	if done, err := applied(ctx, m, a.Versions); err != nil || done != nil {
		return effectsOf(ctx, m, done, err)
	}
	up, down = distinct(up), distinct(down)
	if len(up)+len(down) == 0 {
		return nil, hippo.Fieldf("Up", "at least one memory must be voted on")
	}
	if len(up)+len(down) > hippo.MaxIDs {
		return nil, hippo.Fieldf("Up", "at most %d memories may be voted on at once, got %d", hippo.MaxIDs, len(up)+len(down))
	}
	for _, id := range down {
		if slices.Contains(up, id) {
			return nil, hippo.Fieldf("Down", "must not hold what is upvoted, too: %v", id)
		}
	}
	effects := make(map[hippo.ID]Reinforcement, len(up)+len(down))
	ms, err := update(ctx, m, hippo.VerbVote, slices.Concat(up, down), func(x *hippo.Memory, day hippo.Day) error {
		v := VoteDown
		if slices.Contains(up, x.ID) {
			v = VoteUp
		}
		effects[x.ID] = m.vote(x, v, day)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]Reinforcement, len(ms))
	for i, x := range ms {
		out[i] = effects[x.ID]
	}
	return out, nil
}

// effectsOf returns votes that a first attempt has stored: the importance before them is no longer known, and
// given as that after them.
func effectsOf(ctx context.Context, m *Memories, done []*hippo.Memory, err error) ([]Reinforcement, error) {
	if err != nil {
		return nil, err
	}
	head, err := m.store.Head(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Reinforcement, len(done))
	for i, x := range done {
		now := m.Importance(x, head.Calendar.Day)
		out[i] = Reinforcement{ID: x.ID, Before: now, After: now}
	}
	return out, nil
}

// vote applies v to x on day.
func (e *Engine) vote(x *hippo.Memory, v Vote, day hippo.Day) Reinforcement {
	now := e.Importance(x, day)
	r := Reinforcement{ID: x.ID, Before: now, After: now}
	switch v {
	case VoteUp:
		r.After = e.weights.Usage.Upvoted(now)
	case VoteDown:
		r.After = e.weights.Usage.Downvoted(now)
	default:
		return r
	}
	x.Importance.Value, x.Importance.SetDay, x.Importance.SetAt = r.After, day, e.now()
	return r
}
