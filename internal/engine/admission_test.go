package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// held is a model that keeps queries until it is released.
type held struct {
	*embedtest.Words
	inside  atomic.Int32
	release chan struct{}
}

func (h *held) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	if role == embed.Query {
		h.inside.Add(1)
		<-h.release
	}
	return h.Words.Embed(ctx, role, texts)
}

// Searches beyond eight times the number of processors wait before they embed; one that gives up meanwhile leaves
// the others as they are.
func TestSearch_TakesTurns(t *testing.T) {
	t.Parallel()
	model := &held{Words: embedtest.NewWords("held"), release: make(chan struct{})}
	m := slow(model)
	m.Instant = true
	f := openWithModels(t, m)
	f.record("The car needs fuel", .5)
	room := 8 * runtime.GOMAXPROCS(0)
	errs := make([]error, room+20)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			_, errs[i] = f.Search(t.Context(), hippo.Query{Text: fmt.Sprintf("car %d", i)})
		})
	}
	for model.inside.Load() < int32(room) {
		time.Sleep(time.Millisecond)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Search(gone, hippo.Query{Text: "another car"}); err == nil {
		t.Error("a search whose caller has gone was answered")
	}
	time.Sleep(20 * time.Millisecond) // for those that do not wait
	if n := model.inside.Load(); n != int32(room) {
		t.Errorf("%d searches embed at a time, want %d", n, room)
	}
	close(model.release)
	group.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("search %d: %v", i, err)
		}
	}
	if n := model.inside.Load(); n != int32(len(errs)) {
		t.Errorf("%d searches were embedded, want %d", n, len(errs))
	}
}

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
