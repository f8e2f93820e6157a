package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/engine"
)

// Searches that wait are admitted together, the longest wait first, when few of the others are left; one that gives
// up leaves its place to others.
func TestTurns_AdmitTogether(t *testing.T) {
	t.Parallel()
	turns := engine.NewTurns(4, 1)
	for range 4 {
		if err := turns.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	admitted := make(chan int)
	for i, ctx := range []context.Context{t.Context(), gone, t.Context(), t.Context(), t.Context()} {
		go func() {
			if err := turns.Begin(ctx); err == nil {
				admitted <- i
			} else {
				admitted <- -1
			}
		}()
		turns.Wait(i + 1)
	}
	cancel()
	if i := <-admitted; i != -1 {
		t.Fatalf("search %d was admitted, want the one that has gone", i)
	}
	for range 2 {
		turns.End()
	}
	if under, waiting := turns.State(); under != 2 || waiting != 4 {
		t.Fatalf("%d under way and %d wait, want 2 and 4: more than one is left", under, waiting)
	}
	turns.End()
	got := []int{<-admitted, <-admitted, <-admitted}
	slices.Sort(got)
	if under, waiting := turns.State(); under != 4 || waiting != 1 || !slices.Equal(got, []int{0, 2, 3}) {
		t.Errorf("%d under way and %d wait, admitted %v, want 4 and 1, and the first three", under, waiting, got)
	}
	for range 3 {
		turns.End()
	}
	if i := <-admitted; i != 4 {
		t.Errorf("admitted %d, want the last one", i)
	}
}
