package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/query"
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
			_, errs[i] = query.Search(t.Context(), f.Memories, hippo.Query{Text: fmt.Sprintf("car %d", i)})
		})
	}
	for model.inside.Load() < int32(room) {
		time.Sleep(time.Millisecond)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := query.Search(gone, f.Memories, hippo.Query{Text: "another car"}); err == nil {
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
