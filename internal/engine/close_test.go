package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// Close while everything is busy: verbs that were under way end, or fail with
// [hippo.ErrUnavailable]; what was acknowledged is there afterwards; closing again does nothing.
func TestClose_WhileBusy(t *testing.T) {
	t.Parallel()
	for name, reopen := range map[string]func(t *testing.T) func() (driver.Backend, error){
		"sqlite": func(t *testing.T) func() (driver.Backend, error) {
			path := filepath.Join(t.TempDir(), "m")
			return func() (driver.Backend, error) { return sqlitestore.Open(context.Background(), path, nil) }
		},
		"dir": func(t *testing.T) func() (driver.Backend, error) {
			path := filepath.Join(t.TempDir(), "m")
			return func() (driver.Backend, error) { return dirstore.Open(context.Background(), path, nil) }
		},
	} {
		for late := range 3 { // how many verbs have ended before Close
			t.Run(fmt.Sprintf("%s/%d", name, late), func(t *testing.T) {
				t.Parallel()
				closeWhileBusy(t, late*late*5, reopen(t))
			})
		}
	}
}

func closeWhileBusy(t *testing.T, late int, open func() (driver.Backend, error)) {
	t.Helper()
	path := indexPath(t)
	f := busyFixture(t, path, open)
	f.put(turn(7, "", "filler number007"), turn(8, "", "filler number008")) // the index is being built, and embedded
	ended := make(chan struct{}, 10_000)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var acknowledged []hippo.ID
	all := verbs()
	delete(all, "close")
	delete(all, "import")
	all["record"] = func(ctx context.Context, _ *engine.Memories) error {
		m, err := memory.Record(ctx, f.Memories, &hippo.Memory{Content: "filler"})
		if err == nil {
			mu.Lock()
			acknowledged = append(acknowledged, m.ID)
			mu.Unlock()
		}
		return err
	}
	for name, verb := range all {
		wg.Go(func() {
			for err := error(nil); err == nil; ended <- struct{}{} {
				if err = verb(context.Background(), f.Memories); err != nil && !errors.Is(err, hippo.ErrUnavailable) {
					t.Errorf("%s: got %v, want %v", name, err, hippo.ErrUnavailable)
				}
			}
		})
	}
	for range late {
		<-ended
	}
	for range 2 { // at the same time
		wg.Go(func() {
			if err := f.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	go func() { // the verbs go on until they fail
		for range ended {
		}
	}()
	wg.Wait()
	close(ended)
	if err := f.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
	f = busyFixture(t, path, open)
	for _, id := range acknowledged {
		f.get(id)
	}
	if got, want := f.status().Memories, len(acknowledged)+2; got < want {
		t.Errorf("%d memories, want the %d that were acknowledged", got, want)
	}
	f.wantOrder(hippo.Query{Text: "number008", Ranker: hippo.RankerBM25}, "filler number008")
}

func busyFixture(t *testing.T, path string, backend func() (driver.Backend, error)) *fixture {
	t.Helper()
	b, err := backend()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, options{backend: b, path: path, models: quickAndBest(), tokens: &embedtest.Tokens{}})
}
