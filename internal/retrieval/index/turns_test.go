package index_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// As many searches as have a turn run at a time, and a turn ends with the result, an error or a panic.
func TestSearch_turns(t *testing.T) {
	s := newSource("s")
	s.put(note(1, "some words"))
	x := open(t, s, nil)
	q := &retrieve.Query{Text: "words", Day: 1}
	var held []*retrieve.Result
	for range 2 * runtime.GOMAXPROCS(0) {
		r, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() {
		_, err := x.Search(ctx, q)
		waiting <- err
	}()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("one more than may run: %v", err)
	}
	for _, r := range held {
		r.Close()
		r.Close() // again: it gives back one turn only
	}
	for range 100 { // each of them fails, by a cancelled context or a query that panics
		if r, err := x.Search(ctx, q); err == nil {
			r.Close()
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = x.Search(t.Context(), nil)
		}()
		func() {
			defer func() { _ = recover() }()
			_, _ = x.Search(t.Context(), &retrieve.Query{Text: "words", Day: 1, Choice: retrieve.Choice{Prune: func(*retrieve.Result) func(*retrieve.Match) bool { panic("sifted") }}})
		}()
	}
	for range 100 {
		r, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
}
