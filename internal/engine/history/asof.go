package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// GotAt is a read by ID, as of a moment, within a verb.
func GotAt(ctx context.Context, m *engine.Memories, q api.Get) (*api.Got, error) {
	known := q.At.KnownAt
	if !engine.IsPast(m, q.At) {
		ms, err := held(ctx, m, q)
		if err != nil {
			return nil, err
		}
		return &api.Got{Memories: ms}, nil
	}
	q.At.KnownAt = time.Time{}
	ms, past, err := engine.PastOf(ctx, m, known, func(p *engine.Memories) ([]*hippo.Memory, error) { return held(ctx, p, q) })
	if err != nil {
		return nil, err
	}
	return &api.Got{Memories: ms, Degraded: engine.Noted(nil, past.NoteOf(hippo.IDsOf(ms...)))}, nil
}

// held returns the memories that are there and hold at [hippo.Moment.ValidAt].
func held(ctx context.Context, m *engine.Memories, q api.Get) ([]*hippo.Memory, error) {
	if q.Some {
		return getSome(ctx, m, q)
	}
	ms, err := memory.GetHere(ctx, m, q.IDs)
	if err != nil || q.At.ValidAt.IsZero() {
		return ms, err
	}
	var out []string
	for _, x := range ms {
		if x.ValidAt(q.At.ValidAt) {
			continue
		}
		text, err := notHeld(ctx, m, x, q.At.ValidAt)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	if out != nil {
		return nil, fmt.Errorf("%w: %s", hippo.ErrNotFound, strings.Join(out, "; "))
	}
	return ms, nil
}

// getSome returns those of the memories that there are, and that hold.
func getSome(ctx context.Context, m *engine.Memories, q api.Get) ([]*hippo.Memory, error) {
	ids, err := memory.SomeIDs("IDs", q.IDs)
	if err != nil {
		return nil, err
	}
	ms, err := m.Scoped.Get(ctx, ids)
	if at := q.At.ValidAt; !at.IsZero() {
		ms = slices.DeleteFunc(ms, func(x *hippo.Memory) bool { return !x.ValidAt(at) })
	}
	return ms, err
}

// notHeld says that a memory does not hold at a time, and what does instead.
func notHeld(ctx context.Context, m *engine.Memories, x *hippo.Memory, t time.Time) (string, error) {
	short := memory.ShortIDs(m, []hippo.ID{x.ID})
	text := fmt.Sprintf("memory %s does not hold at %s, but %s", short.Of(x.ID), t.Format(time.RFC3339), period(x.ValidFrom, x.ValidUntil))
	other, err := heldThen(ctx, m, x, t)
	if err != nil || other == nil {
		return text, err
	}
	return text + fmt.Sprintf("; %s held then", memory.ShortIDs(m, []hippo.ID{other.ID}).Of(other.ID)), nil
}

// period formats the time in which a fact holds.
func period(from, until time.Time) string {
	switch {
	case from.IsZero():
		return "until " + until.Format(time.RFC3339)
	case until.IsZero():
		return "from " + from.Format(time.RFC3339)
	}
	return "from " + from.Format(time.RFC3339) + " until " + until.Format(time.RFC3339)
}

// maxSuperseded bounds the walk along what superseded a memory and what it superseded.
const maxSuperseded = 64

// heldThen returns the memory that held at a time among those that a memory supersedes and those that supersede it; nil if
// there is none.
func heldThen(ctx context.Context, m *engine.Memories, x *hippo.Memory, t time.Time) (*hippo.Memory, error) {
	at := x
	for range maxSuperseded {
		if at.SupersededBy.IsZero() {
			break
		}
		ms, err := m.Scoped.Get(ctx, []hippo.ID{at.SupersededBy})
		if err != nil || len(ms) == 0 {
			return nil, err
		}
		if at = ms[0]; at.ValidAt(t) && !at.Forgotten() {
			return at, nil
		}
	}
	wait := []hippo.ID{x.ID}
	for n := 0; n < len(wait) && n < maxSuperseded; n++ {
		former, err := predecessors(ctx, m, wait[n])
		if err != nil {
			return nil, err
		}
		for _, f := range former {
			if f.ValidAt(t) {
				return f, nil
			}
			wait = append(wait, f.ID)
		}
	}
	return nil, nil
}
