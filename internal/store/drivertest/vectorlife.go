package drivertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// vectorLifeChecks are about what happens to vectors when other things happen.
func vectorLifeChecks() []check {
	return []check{
		{"purge_takes_them_along", vectorPurge},
		{"purge_that_is_undone_does_not", vectorPurgeUndone},
		{"change_and_forgetting_keep_them", vectorKeep},
		{"nothing_else_changes", vectorsAreDerived},
		{"many_small_puts", vectorChurn},
		{"ended_context_is_an_error", vectorCanceled},
		{"concurrent_puts_are_all_kept", vectorConcurrent},
		{"readers_see_a_put_whole", vectorWhole},
	}
}

func vectorPurge(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 5)...)
	putVectors(t, b, "a", vectors(0, 5, 3, 0)...)
	putVectors(t, b, "b", vectors(0, 5, 2, 0)...)
	purge(t, b, id(1))
	write(t, b, func(tx driver.Tx) error { // purged and put again in one
		if err := tx.Purge(id(2)); err != nil {
			return err
		}
		return tx.Put(plain(2))
	})
	purge(t, b, id(3))
	put(t, b, plain(3))
	for model, dimension := range map[string]int{"a": 3, "b": 2} {
		sameVectors(t, model, findVectors(t, b, model, idRange(5)...),
			[]driver.Vector{vector(0, dimension, 0), vector(4, dimension, 0)})
	}
	putVectors(t, b, "a", vector(3, 3, 1))
	sameVectors(t, "put after the purge", findVectors(t, b, "a", id(3)), []driver.Vector{vector(3, 3, 1)})
}

func vectorPurgeUndone(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 2)...)
	putVectors(t, b, "model", vectors(0, 2, 3, 0)...)
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		if err := tx.Purge(id(0)); err != nil {
			return err
		}
		return errWanted
	})
	if !errors.Is(err, errWanted) {
		t.Fatalf("write returned %v", err)
	}
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(2)...), vectors(0, 2, 3, 0))
}

func vectorKeep(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 4)...)
	putVectors(t, b, "model", vectors(0, 4, 3, 0)...)
	put(t, b, withText(0, "another text"), forgotten(1), full(2))
	touch(t, b, 2, id(3))
	sameVectors(t, "vectors", findVectors(t, b, "model", idRange(4)...), vectors(0, 4, 3, 0))
	putVectors(t, b, "model", vector(1, 3, 1)) // of a forgotten one
	sameVectors(t, "vectors", findVectors(t, b, "model", id(1)), vectors(1, 2, 3, 1))
}

func vectorsAreDerived(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(0), full(1))
	before := readAll(t, b)
	putVectors(t, b, "model", vectors(0, 2, 3, 0)...)
	putVectors(t, b, "model", vectors(0, 2, 3, 1)...)
	same(t, "store after puts", readAll(t, b), before)
	if list := changes(t, b, before.Head.Revision); len(list) != 0 {
		t.Errorf("changes has %v", list)
	}
	ps, err := b.Problems(t.Context())
	if err != nil || len(ps) != 0 {
		t.Errorf("problems are %v, %v", ps, err)
	}
}

// vectorChurn replaces vectors so often that a back end has to clean up.
func vectorChurn(t *testing.T, h Harness) {
	b := h.fresh(t)
	const n = 40
	put(t, b, plains(0, n)...)
	want := make([]driver.Vector, n)
	for round := range 400 {
		k := round * 7 % n
		want[k] = vector(k, 100, round)
		putVectors(t, b, "model", want[k])
		if round%50 == 49 {
			sameVectors(t, "vectors", findVectors(t, b, "model", idRange(n)...), want)
		}
	}
}

func vectorCanceled(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	putVectors(t, b, "model", vector(1, 3, 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"vectors": func() error { _, err := b.Vectors(ctx, "model", []hippo.ID{id(1)}); return err },
		"models":  func() error { _, err := b.VectorModels(ctx); return err },
		"put":     func() error { return b.PutVectors(ctx, "model", vectors(1, 2, 3, 1)) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with an ended context returned %v", name, err)
		}
	}
	sameVectors(t, "vectors", findVectors(t, b, "model", id(1)), vectors(1, 2, 3, 0))
}

// vectorConcurrent has writers of vectors and of memories on all handles.
func vectorConcurrent(t *testing.T, h Harness) {
	handles := h.handles(t)
	put(t, handles[0], plains(0, writers*rounds)...)
	together(t, writers, func(w int) error {
		b := handles[w%len(handles)]
		for r := range rounds {
			n := w*rounds + r
			if err := b.PutVectors(t.Context(), fmt.Sprint("model ", w%2), vectors(n, n+1, 8, 0)); err != nil {
				return err
			}
			err := b.Write(t.Context(), driver.Lazy, func(tx driver.Tx) error { return tx.Purge(id(n - r%3)) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, b := range handles {
		total := 0
		for w := range writers {
			var want []driver.Vector
			for n := w * rounds; n < (w+1)*rounds; n++ {
				if len(find(t, b, id(n))) == 1 {
					want = append(want, vector(n, 8, 0))
				}
			}
			total += len(want)
			got := findVectors(t, b, fmt.Sprint("model ", w%2), idRange((w + 1) * rounds)[w*rounds:]...)
			sameVectors(t, fmt.Sprintf("vectors of writer %d", w), got, want)
		}
		count := 0
		for _, m := range models(t, b) {
			count += m.Count
		}
		if count != total || total == 0 {
			t.Errorf("models count %d vectors, %d are there", count, total)
		}
	}
}

// vectorWhole replaces the vectors of several memories at once, while readers
// look for a mixture.
func vectorWhole(t *testing.T, h Harness) {
	handles := h.handles(t)
	const n = 5
	put(t, handles[0], plains(0, n)...)
	putVectors(t, handles[0], "model", vectors(0, n, 50, 0)...)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var seen atomic.Int64
	together(t, 1+2*len(handles), func(i int) error {
		defer stop()
		if i == 0 {
			return replaceVectors(ctx, handles[0], n, &seen)
		}
		for last := 0; ctx.Err() == nil; {
			vs, err := handles[i%len(handles)].Vectors(t.Context(), "model", idRange(n))
			if err != nil {
				return err
			}
			v := 0
			if len(vs) > 0 {
				v = int(vs[0].Text & math.MaxUint32)
			}
			if d := diffVectors(vs, vectors(0, n, 50, v)); d != "" {
				return errors.New(d)
			}
			if v != last {
				seen.Add(1)
				last = v
			}
		}
		return nil
	})
}

// replaceVectors goes on until readers have seen many puts: on a busy machine many may
// come and go between two reads.
func replaceVectors(ctx context.Context, b driver.Backend, n int, seen *atomic.Int64) error {
	for r := 0; seen.Load() < 10*rounds; r++ {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // a reader has ended it
		}
		if err := b.PutVectors(context.WithoutCancel(ctx), "model", vectors(0, n, 50, r)); err != nil {
			return err
		}
	}
	return nil
}

// vectorReopen closes the store after each thing that may be left half written.
func vectorReopen(t *testing.T, h Harness) {
	opener := h.Place(t)
	reopen(t, opener, func(b driver.Backend) {
		put(t, b, plains(0, 6)...)
		putVectors(t, b, "model", vectors(0, 6, 100, 0)...)
	})
	reopen(t, opener, func(b driver.Backend) {
		sameVectors(t, "first", findVectors(t, b, "model", idRange(6)...), vectors(0, 6, 100, 0))
		putVectors(t, b, "model", vectors(0, 2, 100, 1)...)
		purge(t, b, id(5))
	})
	reopen(t, opener, func(b driver.Backend) { // the first to touch vectors is a purge
		purge(t, b, id(4))
		put(t, b, plain(4), plain(5))
	})
	for range 2 {
		reopen(t, opener, func(b driver.Backend) {
			want := append(vectors(0, 2, 100, 1), vectors(2, 4, 100, 0)...)
			sameVectors(t, "last", findVectors(t, b, "model", idRange(6)...), want)
			same(t, "models", models(t, b), []driver.VectorModel{{Name: "model", Dimension: 100, Count: 4}})
		})
	}
}

// vectorHandles has two handles take turns.
func vectorHandles(t *testing.T, h Harness) {
	opener := h.Place(t)
	a, b := open(t, opener), open(t, opener)
	put(t, a, plains(0, 4)...)
	sameVectors(t, "none yet", findVectors(t, b, "model", idRange(4)...), nil)
	for round := range 60 {
		want := vectors(0, 4, 200, round)
		putVectors(t, a, "model", want[:3]...)
		putVectors(t, b, "model", want[3])
		sameVectors(t, "as one sees it", findVectors(t, a, "model", idRange(4)...), want)
		sameVectors(t, "as the other sees it", findVectors(t, b, "model", idRange(4)...), want)
		if round%10 == 5 {
			purge(t, a, id(2))
			put(t, a, plain(2))
			sameVectors(t, "purged by the other", findVectors(t, b, "model", id(2)), nil)
		}
		a, b = b, a
	}
}
