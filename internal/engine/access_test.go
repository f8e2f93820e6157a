package engine_test

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

func TestSearch_AccessesAreCountedOnce(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("counted", .5)
	for range 3 {
		f.search(hippo.Query{Text: "counted"})
	}
	f.search(hippo.Query{Text: "counted", NoTouch: true})
	f.flush()
	if diff := cmp.Diff([]hippo.Access{{Day: 1, Count: 4}}, f.get(id).Accesses); diff != "" {
		t.Error(diff)
	}
	signals := f.search(hippo.Query{Text: "counted", NoTouch: true}).Hits[0].Signals
	if want := 4. / 300; math.Abs(signals.Frequency-want) > 1e-12 {
		t.Errorf("got frequency %v, want %v", signals.Frequency, want)
	}
}

// Close does not wait for more accesses, not even when some came while others were being
// collected.
func TestClose_DoesNotWaitForAccesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, options{})
		f.record("the moon is a stone", .5)
		for range 2 {
			synctest.Wait() // the first access is being collected, the second waits
			f.search(hippo.Query{Text: "moon"})
		}
		synctest.Wait()
		began := time.Now()
		f.end()
		if waited := time.Since(began); waited > 0 {
			t.Errorf("waited %v in the time of the bubble, in which only a delay passes", waited)
		}
	})
}

// A search that ends after Close counts nothing, and nobody waits for what it would have counted.
func TestClose_DropsLateAccesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &interrupted{Backend: newPersistent()}
		f := open(t, options{backend: b})
		id := f.record("the moon is a stone", .5)
		b.mu.Lock()
		b.next = f.end
		b.mu.Unlock()
		f.wantOrder(hippo.Query{Text: "moon"}, "the moon is a stone")
		f.flush()
		if got := f.get(id).Accesses; got[0].Count != 1 {
			t.Errorf("got accesses %+v, want that of the record", got)
		}
	})
}

// Close stores the accesses that wait.
func TestClose_StoresPendingAccesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newPersistent()
		f := open(t, options{backend: b})
		id := f.record("pending", .5)
		f.search(hippo.Query{Text: "pending"})
		f.end()
		if got := open(t, options{backend: b}).get(id).Accesses; got[0].Count != 2 {
			t.Errorf("got accesses %+v, want two", got)
		}
	})
}

// Accesses of concurrent searches are all stored.
func TestSearch_ConcurrentAccessesAreAllStored(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("counted", .5)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				if _, err := f.Search(t.Context(), hippo.Query{Text: "counted"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f.flush()
	if got := f.get(id).Accesses; got[0].Count != 201 {
		t.Errorf("got accesses %+v, want 201", got)
	}
}
