package drivertest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// damageChecks are about a store of five memories of which number 2 cannot be read.
func damageChecks(h Harness) []check {
	var checks []check
	for name, damaged := range h.Damaged {
		on := func(run func(t *testing.T, b driver.Backend)) func(*testing.T, Harness) {
			return func(t *testing.T, _ Harness) {
				opener := damaged(t, func(b driver.Backend) { put(t, b, plains(0, 5)...) }, id(2))
				run(t, open(t, opener))
			}
		}
		checks = append(checks,
			check{name + "/the_others_are_read", on(damagedRead)},
			check{name + "/it_is_named", on(damagedNamed)},
			check{name + "/it_can_be_replaced", on(damagedPut)},
			check{name + "/it_can_be_purged", on(damagedPurge)},
		)
	}
	return checks
}

// others are the memories that can be read.
func others() []*hippo.Memory { return slices.Delete(plains(0, 5), 2, 3) }

func wantOthers(t *testing.T, what string, got []*hippo.Memory, err error) {
	t.Helper()
	if driver.Readable(err) != nil {
		t.Errorf("%s: %v", what, err)
	}
	same(t, what, withoutRevisions(got), others())
}

func damagedRead(t *testing.T, b driver.Backend) {
	ms, err := b.Get(t.Context(), idRange(5))
	wantOthers(t, "get", ms, err)
	ms = nil
	for c, err := range b.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatalf("changes: %v", err)
		}
		if c.Memory != nil {
			ms = append(ms, c.Memory)
		} else if c.ID == id(2) && c.Unreadable == nil {
			t.Error("changes yields it as if it was purged")
		}
	}
	wantOthers(t, "changes", ms, nil)
	err = b.Write(t.Context(), driver.Durable, func(tx driver.Tx) (err error) {
		ms, err = tx.Get(idRange(5)...)
		return driver.Readable(err)
	})
	wantOthers(t, "get in a transaction", ms, err)
}

func damagedNamed(t *testing.T, b driver.Backend) {
	ms, err := b.Get(t.Context(), []hippo.ID{id(2)})
	if bad, ok := errors.AsType[*api.UnreadableError](err); len(ms) != 0 || err != nil && (!ok || !errors.Is(err, hippo.ErrCorrupt) || bad.Problems[0].ID != id(2)) {
		t.Errorf("get returned %d memories, %v", len(ms), err)
	}
	ps, err := b.Problems(t.Context())
	if err != nil || len(ps) != 1 || !strings.Contains(ps[0].String(), id(2).String()) {
		t.Errorf("problems are %v (%v), want one that names %v", ps, err, id(2))
	}
	if c, ok := b.(driver.Checker); ok {
		ps, err := c.Check(t.Context())
		if err != nil || !slices.ContainsFunc(ps, func(p api.StoreProblem) bool { return strings.Contains(p.String(), id(2).String()) }) {
			t.Errorf("check found %v (%v), want one with %v", ps, err, id(2))
		}
	}
}

func damagedPut(t *testing.T, b driver.Backend) {
	put(t, b, full(2))
	same(t, "get", withoutRevisions(get(t, b, id(2))), withoutRevisions([]*hippo.Memory{full(2)}))
	if h := head(t, b); h.Memories != 5 || h.Forgotten != 1 {
		t.Errorf("head is %+v, want 5 memories, 1 forgotten", h)
	}
}

func damagedPurge(t *testing.T, b driver.Backend) {
	purge(t, b, id(2))
	ms, err := b.Get(t.Context(), idRange(5))
	wantOthers(t, "get", ms, err)
	if h := head(t, b); h.Memories != 4 {
		t.Errorf("head counts %d memories, want 4", h.Memories)
	}
}
