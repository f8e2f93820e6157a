package engine_test

import (
	"math"
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
