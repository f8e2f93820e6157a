package drivertest

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func crudChecks() []check {
	return []check{
		{"empty_store", emptyStore},
		{"get_keeps_the_order_asked_for", getOrder},
		{"missing_ids_are_left_out", getMissing},
		{"thousands_at_once", getThousands},
		{"put_replaces_the_whole_memory", putReplaces},
		{"same_id_twice_in_a_put_last_wins", putTwice},
		{"same_text_twice_is_two_memories", sameText},
		{"links_may_dangle", danglingLinks},
		{"purge_removes", purgeRemoves},
		{"purge_of_unknown_is_no_change", purgeUnknown},
		{"purged_id_may_come_back", purgedComesBack},
		{"nothing_written_is_no_change", nothingWritten},
		{"healthy_store_has_no_problems", noProblems},
	}
}

func emptyStore(t *testing.T, h Harness) {
	b := h.fresh(t)
	if ms := find(t, b, id(1), hippo.ID{}); len(ms) != 0 {
		t.Errorf("get found %d memories", len(ms))
	}
	if cs := changes(t, b, 0); len(cs) != 0 {
		t.Errorf("changes yields %d", len(cs))
	}
	got := head(t, b)
	if got.Store == "" {
		t.Error("head has no store identity")
	}
	got.Store = ""
	same(t, "head", got, driver.Head{})
}

func getOrder(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := plains(0, 20)
	put(t, b, ms...)
	same(t, "in order", get(t, b, idsOf(ms)...), ms)
	slices.Reverse(ms)
	same(t, "reversed", get(t, b, idsOf(ms)...), ms)
}

func getMissing(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := plains(0, 3)
	put(t, b, ms...)
	got := find(t, b, id(10), id(2), hippo.ID{}, id(11), id(0), id(12))
	same(t, "found", got, []*hippo.Memory{ms[2], ms[0]})
	if got := find(t, b); len(got) != 0 {
		t.Errorf("no ids found %d memories", len(got))
	}
	write(t, b, func(tx driver.Tx) error {
		got, err := tx.Get(id(10), id(1), id(0))
		same(t, "found in a transaction", got, []*hippo.Memory{ms[1], ms[0]})
		return err
	})
}

func getThousands(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := plains(0, many(2500, 600))
	put(t, b, ms...)
	slices.Reverse(ms)
	same(t, "memories", get(t, b, idsOf(ms)...), ms)
	purge(t, b, idsOf(ms)...)
	if n := head(t, b).Memories; n != 0 {
		t.Errorf("%d memories are left", n)
	}
}

func putReplaces(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, full(1), full(2))
	small := bare(1)
	put(t, b, small)
	same(t, "full memory made bare", get(t, b, id(1)), []*hippo.Memory{small})
	large := full(1)
	put(t, b, large)
	same(t, "bare memory made full", get(t, b, id(1)), []*hippo.Memory{large})
	fewer := full(2)
	fewer.Tags = fewer.Tags[1:]
	fewer.Situation = append(fewer.Situation, "one more")
	fewer.Accesses = fewer.Accesses[:1]
	delete(fewer.Metadata, "answer")
	put(t, b, fewer)
	same(t, "lists cut and grown", get(t, b, id(2)), []*hippo.Memory{fewer})
}

func putTwice(t *testing.T, h Harness) {
	b := h.fresh(t)
	first, last := withText(1, "first"), withText(1, "last")
	put(t, b, first, plain(2), last)
	same(t, "memory", get(t, b, id(1)), []*hippo.Memory{last})
	if n := head(t, b).Memories; n != 2 {
		t.Errorf("head counts %d memories, want 2", n)
	}
}

func sameText(t *testing.T, h Harness) {
	b := h.fresh(t)
	one, two := withText(1, "the same words"), withText(2, "the same words")
	put(t, b, one)
	put(t, b, two)
	same(t, "memories", get(t, b, id(1), id(2)), []*hippo.Memory{one, two})
	purge(t, b, id(1))
	same(t, "the other one", find(t, b, id(1), id(2)), []*hippo.Memory{two})
}

func danglingLinks(t *testing.T, h Harness) {
	b := h.fresh(t)
	nowhere, self, other := plain(1), plain(2), plain(3)
	nowhere.SupersededBy = id(99)
	self.SupersededBy = self.ID
	other.SupersededBy = nowhere.ID
	put(t, b, nowhere, self, other)
	purge(t, b, nowhere.ID)
	same(t, "links", get(t, b, self.ID, other.ID), []*hippo.Memory{self, other})
}

func purgeRemoves(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := []*hippo.Memory{full(1), plain(2), forgotten(3)}
	put(t, b, ms...)
	purge(t, b, id(1), id(3))
	same(t, "left", find(t, b, id(1), id(2), id(3)), ms[1:2])
	same(t, "left in changes", existing(changes(t, b, 0)), ms[1:2])
	write(t, b, func(tx driver.Tx) error {
		got, err := tx.Get(id(1), id(2), id(3))
		same(t, "left in a transaction", got, ms[1:2])
		return err
	})
}

func purgeUnknown(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1), plain(2))
	purge(t, b, id(2))
	before := head(t, b)
	purge(t, b, id(2), id(7), hippo.ID{})
	same(t, "head", head(t, b), before)
	purge(t, b, id(7), id(1), id(1))
	if n := head(t, b).Memories; n != 0 {
		t.Errorf("%d memories are left, want 0", n)
	}
}

func purgedComesBack(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, full(1))
	purge(t, b, id(1))
	gone := head(t, b).Revision
	again := bare(1)
	put(t, b, again)
	same(t, "memory", get(t, b, id(1)), []*hippo.Memory{again})
	same(t, "changes", existing(changes(t, b, gone)), []*hippo.Memory{again})
	if n := len(changes(t, b, 0)); n != 1 {
		t.Errorf("changes has %d entries for one memory", n)
	}
}

func nothingWritten(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	before := head(t, b)
	write(t, b, func(driver.Tx) error { return nil })
	write(t, b, func(tx driver.Tx) error {
		ms, err := tx.Get()
		if err != nil || len(ms) != 0 {
			t.Errorf("tx.Get() = %d memories, %v", len(ms), err)
		}
		if err := tx.Put(); err != nil {
			return err
		}
		return tx.Purge()
	})
	same(t, "head", head(t, b), before)
}

func noProblems(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, full(1))
	purge(t, b, id(1))
	ps, err := b.Problems(t.Context())
	if err != nil || len(ps) != 0 {
		t.Errorf("problems are %v, %v", ps, err)
	}
}
