package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
)

// Close does not wait for more accesses, not even when some came while others were
// being collected.
func TestClose_DoesNotWaitForAccesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &life{t: t}
		l.Engine = openWeighted(t, &l.now, nil, nil)
		l.record("the moon is a stone", .5)
		for range 2 {
			synctest.Wait() // the first access is being collected, the second waits
			l.search(hippo.Query{Text: "moon"})
		}
		synctest.Wait()
		began := time.Now()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("waited %v in the time of the test, in which only a delay passes", waited)
		}
	})
}
