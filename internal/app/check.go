package app

import (
	"context"
	"errors"
	"iter"
	"os"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// CheckReport is the outcome of [Check].
type CheckReport struct {
	Store     string
	Memories  int
	Forgotten int
	// Index is the state of the index file: "ok", "rebuilt" if it was damaged or did not
	// match the store, "none" if there was none.
	Index string
	// Problems lists the damage of the store; empty if there is none.
	Problems []api.StoreProblem
	// Damaged: the store as a whole is damaged and rejects writes. ReadOnly: it rejects them for another reason.
	Damaged, ReadOnly bool
}

// Check checks all data of a store for damage. A store that is too damaged to be opened is
// also reported. The index file is rebuilt if it does not match the store.
func Check(ctx context.Context, c config.Store, o *Options) (CheckReport, error) {
	if o == nil {
		o = &Options{}
	}
	r := CheckReport{Store: c.String(), Index: "none"}
	b, path, err := openBackend(ctx, c, o)
	if errors.Is(err, hippo.ErrCorrupt) {
		r.Problems, r.Damaged = []api.StoreProblem{{Path: c.Path, Err: err.Error()}}, true
		return r, nil
	} else if err != nil {
		return r, err
	}
	r.Problems, err = problems(ctx, b)
	if err == nil {
		err = r.head(ctx, b)
	}
	if err == nil {
		r.Index, err = checkIndex(ctx, b, path, o)
	}
	return r, errors.Join(err, b.Close())
}

func problems(ctx context.Context, b driver.Backend) ([]api.StoreProblem, error) {
	if c, ok := b.(driver.Checker); ok {
		return c.Check(ctx)
	}
	return b.Problems(ctx)
}

// head adds the counts, and whether the store accepts writes.
func (r *CheckReport) head(ctx context.Context, b driver.Backend) error {
	h, err := b.Head(ctx)
	if errors.Is(err, hippo.ErrCorrupt) {
		r.Problems, r.Damaged = append(r.Problems, api.StoreProblem{Path: r.Store, Err: err.Error()}), true
		return nil
	}
	r.Memories, r.Forgotten = h.Memories-h.Forgotten, h.Forgotten
	if err == nil && len(r.Problems) > 0 {
		nothing := b.Write(ctx, driver.Lazy, func(driver.Tx) error { return nil })
		r.Damaged, r.ReadOnly = errors.Is(nothing, hippo.ErrCorrupt), errors.Is(nothing, hippo.ErrReadOnly)
	}
	return err
}

// checkIndex opens the index, which rebuilds a file that does not match the store.
func checkIndex(ctx context.Context, b driver.Backend, path string, o *Options) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "none", nil //nolint:nilerr // the index is built when it is needed
	}
	s := store.New(b, nil)
	m, err := selectModels(ctx, config.Model{Name: config.Builtin}, s, nil)
	if err != nil {
		return "", err
	}
	x, err := openIndex(ctx, s, path, &m, o)
	if err != nil {
		return "", err
	}
	state := "ok"
	if x.Stats().Saved == 0 {
		state = "rebuilt"
		err = x.CatchUp(ctx)
	}
	return state, errors.Join(err, x.Close())
}

// Unfit returns why a store in one file must not be written, whoever may write it: the file has several names, or was cut to
// nothing. The error says what to do.
func Unfit(s config.Store) error {
	if s.Kind == "sqlite" || s.Kind == "shared" {
		return sqlitex.Unfit(s.Path)
	}
	return nil
}

// Salvage is the readable data of a store that may be damaged.
type Salvage struct {
	Calendar hippo.Calendar
	// Memories yields the memories that can be read. For each that is lost, and for each
	// that follows without a part of it, it yields a [*api.UnreadableError].
	Memories iter.Seq2[*hippo.Memory, error]
	// Relations are those that can be read, by the memory they are from.
	Relations map[hippo.ID][]hippo.Relation
	// LostRelations counts those that cannot.
	LostRelations int

	close func() error
}

// Close closes the store.
func (s *Salvage) Close() error { return s.close() }

// OpenSalvage opens a store for reading all that can be read of it. Nothing is written.
func OpenSalvage(ctx context.Context, c config.Store, o *Options) (*Salvage, error) {
	if c.Kind == "sqlite" {
		s, err := sqlitestore.OpenSalvage(ctx, c.Path)
		if err != nil {
			return nil, err
		}
		relations, lost := s.Relations(ctx)
		return &Salvage{Calendar: s.Calendar(), Memories: s.Memories(ctx), Relations: relations, LostRelations: lost, close: s.Close}, nil
	}
	if o == nil {
		o = &Options{}
	}
	b, _, err := openBackend(ctx, c, o)
	if err != nil {
		return nil, err
	}
	h, err := b.Head(ctx)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	relations := make(map[hippo.ID][]hippo.Relation)
	for r, err := range b.AllRelations(ctx) {
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		relations[r.From] = append(relations[r.From], r)
	}
	return &Salvage{Calendar: h.Calendar, Memories: readable(ctx, b), Relations: relations, close: b.Close}, nil
}

// readable yields the readable memories of a back end, and its problems.
func readable(ctx context.Context, b driver.Backend) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for c, err := range b.Changes(ctx, 0) {
			if err != nil || c.Memory != nil {
				if !yield(c.Memory, err) {
					return
				}
			}
		}
		ps, err := b.Problems(ctx)
		for _, p := range ps {
			if !yield(nil, &api.UnreadableError{Problems: []api.StoreProblem{p}}) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}
