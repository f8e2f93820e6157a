// Package drivertest is the conformance suite for back ends of the store:
// checks, a model test, a comparison of several back ends, and benchmarks.
//
// It refuses to look behind [driver.Backend]; what only one back end promises
// belongs into that back end's own tests. Times are promised to the
// microsecond, JSON to the literal of each number, lists and maps up to nil or
// empty. A back end's test needs no more than
//
//	func TestConformance(t *testing.T) {
//		drivertest.Run(t, drivertest.Harness{
//			Place: func(t testing.TB) drivertest.Opener {
//				path := filepath.Join(t.TempDir(), "memory.db")
//				return func() (driver.Backend, error) { return sqlitestore.Open(path, nil) }
//			},
//		})
//	}
package drivertest

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Harness is what a back end brings to the suite.
type Harness struct {
	// Place makes room for one empty store and returns how to open it. What it
	// takes up is released by the cleanup of t. The suite closes every handle,
	// before that cleanup runs.
	Place func(t testing.TB) Opener
	// Volatile declares that data lives and dies with its handle: each opening
	// gives another, empty store. The checks of reopening and of sharing are
	// then replaced by one that the claim is true.
	Volatile bool
	// Alone declares that a store of this kind cannot exchange its changes with others: it is no [driver.Replicas].
	Alone bool
	// Damaged are ways in which a memory of a store can become unreadable, by name. Each
	// makes a store, fills it by calling fill with a handle, makes the memory id unreadable
	// when that is closed, and returns how to open the store. None declares that there is
	// no such way.
	Damaged map[string]func(t testing.TB, fill func(driver.Backend), id hippo.ID) Opener
}

// Opener opens one more handle on the store of its place, as another process
// would: earlier handles may be open still, or closed.
type Opener func() (driver.Backend, error)

// check is one promise of the contract.
type check struct {
	name string
	run  func(t *testing.T, h Harness)
}

// Run checks every promise of [driver.Backend], each on a store of its own, in
// parallel. It takes seconds, and about 200 stores because of the model test.
func Run(t *testing.T, h Harness) {
	topics := []struct {
		name   string
		checks []check
	}{
		{"crud", crudChecks()},
		{"ownership", ownershipChecks()},
		{"fields", fieldChecks()},
		{"times", timeChecks()},
		{"content", contentChecks()},
		{"access", accessChecks()},
		{"lease", leaseChecks()},
		{"revision", revisionChecks()},
		{"changes", changesChecks()},
		{"transaction", transactionChecks()},
		{"calendar", calendarChecks()},
		{"head", headChecks()},
		{"concurrent", concurrentChecks()},
		{"cancel", cancelChecks()},
		{"vectors", vectorChecks()},
		{"vectorlife", vectorLifeChecks()},
		{"relations", relationChecks()},
		{"history", historyChecks()},
		{"model", modelChecks()},
		{"damage", damageChecks(h)},
	}
	for _, topic := range topics {
		runChecks(t, h, topic.name, topic.checks)
	}
	if h.Alone {
		runChecks(t, h, "replicas", aloneChecks())
	} else {
		runChecks(t, h, "replicas", replicaChecks())
	}
	if h.Volatile {
		runChecks(t, h, "volatile", volatileChecks())
		return
	}
	if !h.Alone {
		runChecks(t, h, "replicas reopened", []check{{"all is there again", replicaReopened}})
	}
	runChecks(t, h, "reopen", reopenChecks())
	runChecks(t, h, "handles", handleChecks())
}

func runChecks(t *testing.T, h Harness, topic string, checks []check) {
	t.Run(topic, func(t *testing.T) {
		t.Parallel()
		for _, c := range checks {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, h)
			})
		}
	})
}

// fresh opens an empty store, closed when t ends.
func (h Harness) fresh(t testing.TB) driver.Backend {
	t.Helper()
	return open(t, h.Place(t))
}

// handles are the ways in which a check of concurrency reaches one store: one
// handle, or two on the same data.
func (h Harness) handles(t testing.TB) []driver.Backend {
	t.Helper()
	opener := h.Place(t)
	if h.Volatile {
		return []driver.Backend{open(t, opener)}
	}
	return []driver.Backend{open(t, opener), open(t, opener)}
}

// open opens a handle, closed when t ends.
func open(t testing.TB, opener Opener) driver.Backend {
	t.Helper()
	b, err := opener()
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { closeHandle(t, b) })
	return b
}

// reopen runs fn on a handle that is closed before reopen returns.
func reopen(t testing.TB, opener Opener, fn func(driver.Backend)) {
	t.Helper()
	b, err := opener()
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer closeHandle(t, b)
	fn(b)
}

func closeHandle(t testing.TB, b driver.Backend) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
