package engine_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/store/driver"
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

// unsteady is a store that fails to count accesses, some times.
type unsteady struct {
	driver.Backend
	mu       sync.Mutex
	failures int
}

func (u *unsteady) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if d == driver.Lazy && u.failures > 0 {
		u.failures--
		return hippo.ErrUnavailable
	}
	return u.Backend.Write(ctx, d, fn)
}

// Accesses that cannot be stored at first are stored later, and counted once meanwhile.
func TestSearch_RetriesAccesses(t *testing.T) {
	t.Parallel()
	b := &unsteady{Backend: newPersistent()}
	f := open(t, options{backend: b})
	id := f.record("counted", .5)
	b.mu.Lock()
	b.failures = 2
	b.mu.Unlock()
	for i := range 3 {
		f.search(hippo.Query{Text: "counted"})
		f.flush()
		uses := f.search(hippo.Query{Text: "counted", NoTouch: true}).Hits[0].Signals.Frequency * 300
		if want := float64(i + 2); math.Abs(uses-want) > 1e-9 {
			t.Errorf("after %d searches the index has %v accesses, want %v", i+1, uses, want)
		}
	}
	want := []hippo.Access{{Day: 1, Count: 4}}
	if diff := cmp.Diff(want, f.get(id).Accesses); diff != "" {
		t.Error(diff)
	}
	f.end()
	if diff := cmp.Diff(want, open(t, options{backend: b}).get(id).Accesses); diff != "" {
		t.Error(diff)
	}
}

// What cannot be stored before the end keeps nobody waiting.
func TestClose_DropsAccessesThatFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, options{backend: &unsteady{Backend: newPersistent(), failures: 100}})
		f.record("counted", .5)
		f.search(hippo.Query{Text: "counted"})
		f.end()
		f.flush()
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
				if _, err := query.Search(t.Context(), f.Memories, hippo.Query{Text: "counted"}); err != nil {
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
