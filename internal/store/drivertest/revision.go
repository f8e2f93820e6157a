package drivertest

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func revisionChecks() []check {
	return []check{
		{"put_sets_a_higher_one_on_each", putSetsRevisions},
		{"the_callers_own_is_ignored", callersRevision},
		{"head_has_the_last_one_assigned", headIsLast},
		{"never_used_twice", neverUsedTwice},
	}
}

func putSetsRevisions(t *testing.T, h Harness) {
	b := h.fresh(t)
	var last hippo.Revision
	for round := range 3 {
		ms := plains(0, 5)
		put(t, b, ms...)
		for i, m := range ms {
			if m.Revision <= last {
				t.Errorf("round %d: memory %d got revision %d after %d", round, i, m.Revision, last)
			}
			last = m.Revision
		}
		same(t, "stored memories", get(t, b, idsOf(ms)...), ms)
	}
}

func callersRevision(t *testing.T, h Harness) {
	b := h.fresh(t)
	m := plain(1)
	m.Revision = 1 << 40
	put(t, b, m)
	got := get(t, b, m.ID)[0].Revision
	if now := head(t, b).Revision; m.Revision != now || got != now {
		t.Errorf("put set revision %d, get says %d, head %d", m.Revision, got, now)
	}
	if m.Revision >= 1<<40 {
		t.Errorf("the store took over the caller's revision: %d", m.Revision)
	}
}

func headIsLast(t *testing.T, h Harness) {
	b := h.fresh(t)
	steps := []func(driver.Tx) error{
		func(tx driver.Tx) error { return tx.Put(plains(0, 3)...) },
		func(tx driver.Tx) error { return tx.Put(plain(1)) },
		func(tx driver.Tx) error { return tx.Purge(id(0)) },
		func(tx driver.Tx) error { return tx.Purge(id(1), id(2)) },
		func(tx driver.Tx) error { return tx.Put(plain(0)) },
	}
	var last hippo.Revision
	for i, fn := range steps {
		write(t, b, fn)
		cs := changes(t, b, last)
		if len(cs) == 0 {
			t.Fatalf("step %d: no changes after revision %d", i, last)
		}
		last = cs[len(cs)-1].Revision
		if got := head(t, b).Revision; got != last {
			t.Errorf("step %d: head is at revision %d, the last change at %d", i, got, last)
		}
		if more := changes(t, b, last); len(more) != 0 {
			t.Errorf("step %d: %d changes after the last one", i, len(more))
		}
	}
}

// neverUsedTwice empties the store in between, when it would be easy to begin at 1 again.
func neverUsedTwice(t *testing.T, h Harness) {
	b := h.fresh(t)
	used := make(map[hippo.Revision]bool)
	for round := range 5 {
		m := plain(round)
		put(t, b, m)
		if used[m.Revision] {
			t.Errorf("round %d: revision %d is used again", round, m.Revision)
		}
		used[m.Revision] = true
		purge(t, b, m.ID)
		gone := head(t, b).Revision
		if used[gone] {
			t.Errorf("round %d: revision %d of a purge is used already", round, gone)
		}
		used[gone] = true
	}
}
