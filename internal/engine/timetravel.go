package engine

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
)

// InPast runs a verb on the memory as it was known at a time, which comes from the history: what was recorded later is not there,
// what was changed later is as it was. What it counts as used is dropped. A note says what the history lacks.
//
// Cost: a read of the operations since then, and of the versions of what they changed; the index is forked. [maxPasts] are made
// at a time; others wait.
func InPast[Out any](ctx context.Context, m *Memories, at time.Time, run func(*Memories) (Out, error)) (out Out, note string, err error) {
	out, past, err := PastOf(ctx, m, at, run)
	if past != nil {
		note = past.Note()
	}
	return out, note, err
}

// PastOf is [InPast] with the past; nil if it could not be made.
func PastOf[Out any](ctx context.Context, m *Memories, at time.Time, run func(*Memories) (Out, error)) (out Out, past *store.Past, err error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return out, nil, err
	}
	select {
	case m.pasts <- struct{}{}:
		defer func() { <-m.pasts }()
	case <-ctx.Done():
		return out, nil, ctx.Err()
	}
	if err := m.Flush(ctx); err != nil && !IsNotWritable(err) {
		return out, nil, err
	}
	later, err := createdAfter(ctx, m, at)
	if err != nil {
		return out, nil, err
	}
	s, err := stageOn(ctx, m, func() (*store.Held, error) {
		if past, err = store.HoldPast(ctx, m.Scoped, at, later); err != nil {
			return nil, err
		}
		return past.Held, nil
	})
	if err != nil {
		return out, nil, err
	}
	defer s.Discard()
	out, err = run(s.Memories)
	return out, past, err
}

// IsPast reports whether a moment asks for what was known before now.
func IsPast(m *Memories, at hippo.Moment) bool {
	return !at.KnownAt.IsZero() && at.KnownAt.Before(m.Clock())
}

// createdAfter returns the memories of the scope that were recorded after a time, forgotten ones too.
func createdAfter(ctx context.Context, m *Memories, at time.Time) ([]hippo.ID, error) {
	var ids []hippo.ID
	after := at.Truncate(time.Microsecond).Add(time.Microsecond) // the unit of stored times
	err := m.Indexed(ctx, func() error {
		ids = nil
		for _, forgotten := range []bool{false, true} {
			r, err := m.Index.Search(ctx, &retrieve.Query{
				Scope: m.Scope, Filter: hippo.Filter{CreatedAfter: after, Archived: true}, Forgotten: forgotten,
			})
			if err != nil {
				return err
			}
			for i := range r.Matches {
				ids = append(ids, r.Reader.Key(r.Matches[i].Doc).ID)
			}
			r.Close()
		}
		return nil
	})
	return ids, err
}

// Noted appends a note that is not empty.
func Noted(notes []string, note string) []string {
	if note == "" {
		return notes
	}
	return append(notes, note)
}
