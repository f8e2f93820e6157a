package drivertest

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func changesChecks() []check {
	return []check{
		{"come_in_the_order_of_writing", changesOrder},
		{"each_memory_once_at_its_latest", changesOnce},
		{"since_leaves_out_what_is_known", changesSince},
		{"purges_leave_tombstones", changesTombstones},
		{"thousands_stream_in_order", changesMany},
		{"the_reader_may_stop", changesStop},
		{"the_reader_may_write_on", changesWhileWriting},
		{"a_future_revision_has_none", changesFuture},
	}
}

func changesOrder(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := plains(0, 30)
	put(t, b, ms[:10]...)
	for _, m := range ms[10:] {
		put(t, b, m)
	}
	same(t, "changes", existing(changes(t, b, 0)), ms)
}

func changesOnce(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 4)...)
	late := withText(1, "changed later")
	put(t, b, late)
	twice := withText(0, "changed last")
	write(t, b, func(tx driver.Tx) error {
		if err := tx.Put(withText(0, "changed in between")); err != nil {
			return err
		}
		return tx.Put(twice)
	})
	got := existing(changes(t, b, 0))
	same(t, "order", idsOf(got), []hippo.ID{id(2), id(3), id(1), id(0)})
	same(t, "changes", got, get(t, b, id(2), id(3), id(1), id(0)))
}

func changesSince(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := plains(0, 12)
	put(t, b, ms...)
	for i, m := range ms {
		same(t, "changes", existing(changes(t, b, m.Revision)), ms[i+1:])
	}
}

func changesTombstones(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 4)...)
	known := head(t, b).Revision
	purge(t, b, id(1))
	put(t, b, plain(5))
	purge(t, b, id(3), id(0))
	var got []hippo.ID
	for _, c := range changes(t, b, known) {
		if (c.Memory != nil) != (c.ID == id(5)) {
			t.Errorf("change of %s carries %v", c.ID, c.Memory)
		}
		got = append(got, c.ID)
	}
	same(t, "order", got, []hippo.ID{id(1), id(5), id(3), id(0)})
	known = head(t, b).Revision
	put(t, b, plain(3))
	purge(t, b, id(3))
	if cs := changes(t, b, known); len(cs) != 1 || cs[0].ID != id(3) || cs[0].Memory != nil {
		t.Errorf("changes of a memory that came back and went are %v", cs)
	}
}

// changesMany goes beyond any likely size of page, and starts within pages.
func changesMany(t *testing.T, h Harness) {
	b := h.fresh(t)
	ms := plains(0, many(3100, 1100))
	n := len(ms)
	put(t, b, ms[:n/2]...)
	put(t, b, ms[n/2:]...)
	for _, skip := range []int{0, 1, 999, 1000, 1001, n - 1001, n - 1000, n - 999, n - 1, n} {
		since := hippo.Revision(0)
		if skip > 0 {
			since = ms[skip-1].Revision
		}
		got := existing(changes(t, b, since))
		if len(got) != len(ms)-skip {
			t.Fatalf("after %d of %d memories %d follow", skip, len(ms), len(got))
		}
		same(t, "order", idsOf(got), idsOf(ms[skip:]))
	}
	purge(t, b, idsOf(ms[:n-50])...)
	gone := changes(t, b, ms[n-1].Revision)
	if len(gone) != n-50 || existing(gone) != nil {
		t.Errorf("%d changes follow %d purges, %d of them memories", len(gone), n-50, len(existing(gone)))
	}
}

// changesStop stops often enough to use up connections or locks that a
// reader leaves behind.
func changesStop(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plains(0, 50)...)
	for n := range 40 {
		read := 0
		for _, err := range b.Changes(t.Context(), 0) {
			if err != nil {
				t.Fatalf("changes: %v", err)
			}
			if read++; read > n {
				break
			}
		}
	}
	put(t, b, plain(50))
	if got := len(changes(t, b, 0)); got != 51 {
		t.Errorf("changes has %d entries, want 51", got)
	}
}

// changesWhileWriting changes what is still to come, and what came already.
// The reader may see a change in this pass or in the next, but not miss it.
func changesWhileWriting(t *testing.T, h Harness) {
	b := h.fresh(t)
	n := many(1200, 400)
	put(t, b, plains(0, n)...)
	replica := make(map[hippo.ID]string)
	var last hippo.Revision
	steps := 0
	for c, err := range b.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatalf("changes: %v", err)
		}
		if c.Revision <= last || replica[c.ID] != "" {
			t.Fatalf("revision %d of %s comes after %d", c.Revision, c.ID, last)
		}
		last = c.Revision
		replica[c.ID] = c.Memory.Content
		if steps++; steps%100 == 0 {
			put(t, b, withText(steps/2, "changed behind the reader"), withText(n-steps/100, "changed ahead"))
		}
	}
	for _, c := range changes(t, b, last) {
		replica[c.ID] = c.Memory.Content
	}
	for _, m := range get(t, b, idRange(n)...) {
		if replica[m.ID] != m.Content {
			t.Errorf("the reader has %q, the store %q", replica[m.ID], m.Content)
		}
	}
}

func changesFuture(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, plain(1))
	for _, since := range []hippo.Revision{head(t, b).Revision, 1 << 40, 1<<63 - 1} {
		if cs := changes(t, b, since); len(cs) != 0 {
			t.Errorf("%d changes after revision %d", len(cs), since)
		}
	}
}
