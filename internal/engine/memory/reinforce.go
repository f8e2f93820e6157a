package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/store"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/writebehind"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Reinforce applies one upvote to each of up and one downvote to each of down, in one
// transaction, and returns the effects, up first. A repeated ID counts once; an ID in both
// lists is [hippo.ErrInvalid]; with an unknown ID nothing is changed and the error lists all
// that are unknown.
func Reinforce(ctx context.Context, m *engine.Memories, up, down []hippo.ID) ([]api.Reinforcement, error) {
	return engine.Perform(ctx, engine.Identified(m), api.Reinforce{Up: up, Down: down}, "reinforce", reinforce)
}

// Question returns the question of a vote as a caller of a front end gives it; nil, and then empty: none in particular. One
// that is given and blank is a [*hippo.FieldError]: a vote without a question says something of the memory to every
// question, which who forgot to fill one in did not mean.
func Question(given *string) (string, error) {
	switch {
	case given == nil:
		return "", nil
	case strings.TrimSpace(*given) == "":
		return "", hippo.Fieldf("Query", "must not be empty: say what was asked, or leave it out")
	default:
		return *given, nil
	}
}

// votedIDs returns the memories, in the order of the effects.
func votedIDs(b *api.Reinforce) []hippo.ID { return slices.Concat(b.Up, b.Down, b.Undo) }

// questionOf returns the question for a memory.
func questionOf(b *api.Reinforce, id hippo.ID) string {
	if q, ok := b.Asked[id]; ok {
		return q
	}
	return b.Query
}

// Cast applies votes in one transaction and returns the effects, in the order of the lists. A
// repeated ID counts once; an ID in two lists is [hippo.ErrInvalid]; with an unknown ID nothing is
// changed and the error lists all that are unknown. To take back a vote where there is none that
// can be is [hippo.ErrConflict].
func Cast(ctx context.Context, m *engine.Memories, b api.Reinforce) ([]api.Reinforcement, error) {
	if _, err := votesOf(&b); err != nil { // before JSON replaces what is no UTF-8
		return nil, err
	}
	return engine.Perform(ctx, engine.Identified(m), b, "reinforce", reinforce)
}

func reinforce(ctx context.Context, m *engine.Memories, a api.Reinforce) ([]api.Reinforcement, error) {
	if done, err := engine.Applied(ctx, m); err != nil || len(done) > 0 {
		return effectsOf(ctx, m, &a, done, err)
	}
	votes, err := votesOf(&a)
	if err != nil {
		return nil, err
	}
	effects := make(map[hippo.ID]api.Reinforcement, len(votes))
	ms, err := engine.Update(ctx, m, hippo.VerbVote, engine.Distinct(votedIDs(&a)), func(x *hippo.Memory, day hippo.Day) (err error) {
		effects[x.ID], err = voteOn(m.Engine, x, votes[x.ID], questionOf(&a, x.ID), day)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(effects) == 0 { // the first attempt, which was carried out meanwhile, has changed them
		done, err := engine.Applied(ctx, m)
		return effectsOf(ctx, m, &a, done, err)
	}
	noteVotes(m, &a)
	out := make([]api.Reinforcement, len(ms))
	for i, x := range ms {
		out[i] = effects[x.ID]
	}
	return out, nil
}

// noteVotes notes upvotes on questions as uses.
func noteVotes(m *engine.Memories, b *api.Reinforce) {
	m.Accesses.Unused(slices.Concat(b.Down, b.Undo))
	uses := make([]writebehind.Use, 0, len(b.Up))
	for _, id := range b.Up {
		if q := m.Searcher.Question(strings.TrimSpace(questionOf(b, id))); q != nil {
			uses = append(uses, useOf(m, id, hippo.FeedbackUp, q))
		}
	}
	m.Accesses.Used(uses)
}

// votesOf checks a ballot and returns the vote on each memory.
func votesOf(b *api.Reinforce) (map[hippo.ID]api.Vote, error) {
	if err := hippo.ValidQuery("Query", b.Query); err != nil {
		return nil, err
	}
	for _, q := range b.Asked {
		if err := hippo.ValidQuery("Query", q); err != nil {
			return nil, err
		}
	}
	votes := make(map[hippo.ID]api.Vote)
	participle := map[api.Vote]string{api.VoteUp: "upvoted", api.VoteDown: "downvoted"}
	for _, list := range []struct {
		field string
		ids   []hippo.ID
		vote  api.Vote
	}{{"Up", b.Up, api.VoteUp}, {"Down", b.Down, api.VoteDown}, {"Undo", b.Undo, api.VoteUndo}} {
		for _, id := range list.ids {
			if v, ok := votes[id]; ok && v != list.vote {
				return nil, hippo.Fieldf(list.field, "must not contain an ID that is also %s: %v", participle[v], id)
			}
			votes[id] = list.vote
		}
	}
	switch n := len(votes); {
	case n == 0:
		return nil, hippo.Required("Up")
	case n > hippo.MaxIDs:
		return nil, hippo.Fieldf("Up", "at most %d memories may be voted on at once, got %d", hippo.MaxIDs, n)
	}
	return votes, nil
}

// effectsOf returns the effects of a ballot that a first attempt has stored, which keeps what the memories were before.
func effectsOf(ctx context.Context, m *engine.Memories, b *api.Reinforce, done []hippo.Version, err error) ([]api.Reinforcement, error) {
	if err != nil {
		return nil, err
	}
	day, err := store.DayOf(ctx, m.Store)
	if err != nil {
		return nil, err
	}
	ms, err := engine.Reader(m).Get(ctx, engine.Distinct(votedIDs(b)))
	if err != nil {
		return nil, err
	}
	before := make(map[hippo.ID]*hippo.Memory, len(done))
	for i := range done {
		before[done[i].ID] = done[i].Before
	}
	out := make([]api.Reinforcement, len(ms))
	for i, x := range ms {
		now := m.Importance(x, day)
		out[i] = api.Reinforcement{ID: x.ID, Before: now, After: now}
		if was := before[x.ID]; was != nil {
			out[i].Before = m.Importance(was, day)
		}
	}
	return out, nil
}

// voteOn applies v, cast on what a query found, to x on day.
func voteOn(e *engine.Engine, x *hippo.Memory, v api.Vote, query string, day hippo.Day) (api.Reinforcement, error) {
	now := e.Importance(x, day)
	r := api.Reinforcement{ID: x.ID, Before: now, After: now}
	f := hippo.Feedback{Kind: hippo.FeedbackUp, Day: day}
	switch v {
	case api.VoteUp:
	case api.VoteDown:
		f.Kind = hippo.FeedbackDown
	case api.VoteUndo:
		err := unvote(x, &e.Weights.Learning)
		r.After = e.Importance(x, day)
		return r, err
	default:
		return r, nil
	}
	f.Question = e.Searcher.Question(strings.TrimSpace(query))
	_, r.After = e.Weights.Vote(x, f, e.Clock().UTC().Truncate(time.Microsecond))
	return r, nil
}

// unvote takes back the newest vote on x. Its importance becomes what it was before, unless it was
// set since.
func unvote(x *hippo.Memory, w *rank.Learning) error {
	list, former := w.Former(x.Feedback)
	if former == nil {
		return fmt.Errorf("%w: %v has no vote that can be taken back: only the newest one can, once", hippo.ErrConflict, x.ID)
	}
	x.Untied = former.Untied
	if x.Feedback = list; x.Importance.SetAt.Equal(former.At) {
		x.Importance.Value, x.Importance.SetDay, x.Importance.SetAt = former.Importance, former.SetDay, former.SetAt
	}
	return nil
}
