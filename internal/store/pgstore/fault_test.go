package pgstore_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// rounds is how often a test of faults disturbs: few, or as many as an environment variable says.
func rounds(t testing.TB, few int) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("HIPPO_FAULT_ROUNDS")); err == nil {
		return n
	}
	return few
}

// countUp adds one to the number that is the content of memory 0.
func countUp(tx driver.Tx) error {
	ms, err := tx.Get(idOf(0))
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(ms[0].Content)
	if err != nil {
		return err
	}
	return tx.Put(withText(0, strconv.Itoa(n+1)))
}

// Writers on two handles put a memory each time, and count it, while connections are cut, above all around commits, and answers are
// swallowed: everything is acknowledged, and took place once.
func TestFaults_Once(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openDB(t, url)
	var left atomic.Int64 // none while the handles are opened
	var drawn [8]atomic.Int64
	proxied := pgtest.Proxy(t, url, func(commit bool) pgtest.Fault {
		if rand.IntN(2) == 0 || !commit && rand.IntN(10) > 0 || left.Add(-1) < 0 {
			return pgtest.Pass
		}
		f := pgtest.Faults()[rand.IntN(len(pgtest.Faults()))]
		drawn[f].Add(1)
		return f
	})
	write(t, open(t, db, "faults"), put(withText(0, "0")))
	const writers = 6
	handles := []*pgstore.Store{open(t, openDB(t, proxied), "faults"), open(t, openDB(t, proxied), "faults")}
	left.Store(int64(rounds(t, 50)))
	var wrote atomic.Int64
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			s := handles[w%len(handles)]
			for left.Load() > 0 {
				n := int(wrote.Add(1))
				err := s.Write(t.Context(), driver.Durability(n%2), func(tx driver.Tx) error {
					if err := countUp(tx); err != nil {
						return err
					}
					return tx.Put(memory(n))
				})
				if err != nil {
					t.Errorf("write %d: %v", n, err)
					return
				}
				if ms, err := s.Get(t.Context(), []hippo.ID{idOf(n)}); err != nil || len(ms) != 1 {
					t.Errorf("write %d was acknowledged, and %d memories are there (%v)", n, len(ms), err)
				}
			}
		})
	}
	all.Wait()
	s := open(t, db, "faults")
	ms, err := s.Get(t.Context(), []hippo.ID{idOf(0)})
	if err != nil || ms[0].Content != strconv.FormatInt(wrote.Load(), 10) {
		t.Errorf("%d writes were acknowledged, and %s were counted (%v)", wrote.Load(), ms[0].Content, err)
	}
	if h, err := s.Head(t.Context()); err != nil || h.Memories != int(wrote.Load())+1 {
		t.Errorf("%d memories are counted after %d writes (%v)", h.Memories, wrote.Load(), err)
	}
	sound(t, s)
	for f := range pgtest.Faults() {
		t.Logf("fault %d: %d times", f+1, drawn[f+1].Load())
	}
}
