package drivertest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

func replicaChecks() []check {
	return []check{
		{"a new store is alone", replicaAlone},
		{"what a store knows of itself is kept", replicaState},
		{"entries are kept by dot", replicaEntries},
		{"entries are read by number", replicaPages},
		{"a segment can be emptied and filled again", replicaSegments},
		{"the vector moves with its data", replicaVector},
		{"a failed transaction changes nothing", replicaFails},
		{"a new identity leaves the old one in the vector", replicaRenewed},
		{"relations wait for memories", replicaWaits},
		{"memories are not touched", replicaMemories},
	}
}

// aloneChecks verifies that a back end declared without sync support has none.
func aloneChecks() []check {
	return []check{{"it is alone, as declared", func(t *testing.T, h Harness) {
		if _, ok := h.fresh(t).(driver.Replicas); ok {
			t.Error("the back end is a driver.Replicas, and declares that it is alone")
		}
	}}}
}

func replicaID(n int) clock.Replica { return clock.Replica{0: 9, 15: byte(n)} }

// heldEntry returns an entry with one part of the given name. The entry has no parts if the name is empty.
func heldEntry(origin, seq int, subject hippo.ID, from uint64, part string) *entry.Held {
	e := &entry.Entry{Dot: entry.Dot{Origin: replicaID(origin), Seq: uint64(seq)}, Time: clock.Time(seq), Subject: subject}
	if part != "" {
		e.Set(part, []byte(`{"text":"ü <b>"}`))
	}
	return &entry.Held{Entry: e, From: from, Vector: entry.Vector{replicaID(7): from}}
}

func replicasOf(t *testing.T, b driver.Backend) driver.Replicas {
	t.Helper()
	r, ok := b.(driver.Replicas)
	if !ok {
		t.Fatal("the back end is no driver.Replicas, and does not declare that")
	}
	return r
}

// replicaWrite runs fn in a transaction.
func replicaWrite(t *testing.T, b driver.Backend, fn func(driver.ReplicaTx) error) {
	t.Helper()
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		r, ok := tx.(driver.ReplicaTx)
		if !ok {
			return errors.New("the transaction is no driver.ReplicaTx")
		}
		return fn(r)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func enable(t *testing.T, b driver.Backend) {
	t.Helper()
	replicaWrite(t, b, func(tx driver.ReplicaTx) error { return tx.SetReplica(driver.Replica{ID: replicaID(1)}) })
}

func replicaAlone(t *testing.T, h Harness) {
	b := h.fresh(t)
	r, seen, err := replicasOf(t, b).Replica(t.Context())
	if err != nil || r != (driver.Replica{}) || len(seen) > 0 {
		t.Errorf("got %v, %v, %v", r, seen, err)
	}
	if err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		if driver.ReplicaOf(tx) != nil {
			return errors.New("a transaction of a store that is alone has entries")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func replicaState(t *testing.T, h Harness) {
	b := h.fresh(t)
	want := driver.Replica{ID: replicaID(1), Clock: clock.Clock{Last: 12345678}, Seq: 7, From: 5}
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		if err := tx.SetReplica(want); err != nil {
			return err
		}
		if r, moved := tx.Replica(); r != want || moved {
			return fmt.Errorf("the transaction sees %v, moved: %v", r, moved)
		}
		return nil
	})
	r, seen, err := replicasOf(t, b).Replica(t.Context())
	if err != nil || r != want || !cmp.Equal(seen, entry.Vector{replicaID(1): 7}) {
		t.Errorf("got %v, %v, %v", r, seen, err)
	}
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		if r, moved := tx.Replica(); r != want || moved {
			return fmt.Errorf("a later transaction sees %v, moved: %v", r, moved)
		}
		return nil
	})
}

// sameHeld compares two lists of entries.
func sameHeld(got []*entry.Held, want ...*entry.Held) string {
	plain := func(list []*entry.Held) (out []string) {
		for _, h := range list {
			out = append(out, fmt.Sprint(h.Dot, h.Subject, h.From, h.Vector, string(h.Line())))
		}
		return out
	}
	return cmp.Diff(plain(want), plain(got), cmpopts.EquateEmpty())
}

func replicaEntries(t *testing.T, h Harness) {
	b := h.fresh(t)
	enable(t, b)
	one, two := id(1), id(2)
	first, second, third := heldEntry(1, 1, one, 1, "a"), heldEntry(2, 9, one, 4, "b"), heldEntry(1, 2, two, 1, "a")
	nobody := heldEntry(2, 10, hippo.ID{}, 10, "of no memory")
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		if err := tx.Hold(third, second, first, nobody); err != nil {
			return err
		}
		list, err := tx.Held(one)
		if d := sameHeld(list, first, second); d != "" {
			t.Errorf("in the transaction: %s", d)
		}
		return err
	})
	changed := heldEntry(2, 9, one, 4, "c")
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		list, err := tx.Held(two, one, hippo.ID{}, id(3))
		if err != nil {
			return err
		}
		if d := sameHeld(list, nobody, first, second, third); d != "" {
			t.Error(d)
		}
		return tx.Hold(changed, heldEntry(1, 1, one, 1, ""), heldEntry(5, 5, one, 5, ""))
	})
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		list, err := tx.Held(one)
		if d := sameHeld(list, changed); d != "" {
			t.Error(d)
		}
		v, verr := tx.SegmentVector(replicaID(2), 4)
		if none, err := tx.SegmentVector(replicaID(2), 5); !cmp.Equal(v, entry.Vector{replicaID(7): 4}) || none != nil || err != nil {
			t.Errorf("the vectors of segments are %v and %v: %v", v, none, err)
		}
		return errors.Join(err, verr)
	})
}

func replicaPages(t *testing.T, h Harness) {
	b := h.fresh(t)
	enable(t, b)
	var list []*entry.Held
	for n := 1; n <= 9; n += 2 {
		list = append(list, heldEntry(3, n, id(n), uint64(n-n%3+1), "a"))
	}
	shuffled := slices.Clone(list)
	slices.Reverse(shuffled)
	replicaWrite(t, b, func(tx driver.ReplicaTx) error { return tx.Hold(append(shuffled, heldEntry(4, 3, id(1), 1, "a"))...) })
	for _, c := range []struct {
		after, upTo uint64
		limit       int
		want        []*entry.Held
	}{{0, 100, 100, list}, {1, 7, 100, list[1:4]}, {0, 9, 2, list[:2]}, {9, 100, 100, nil}} {
		got, err := replicasOf(t, b).EntriesOf(t.Context(), replicaID(3), c.after, c.upTo, c.limit)
		if d := sameHeld(got, c.want...); err != nil || d != "" {
			t.Errorf("after %d up to %d: %v %s", c.after, c.upTo, err, d)
		}
	}
}

func replicaVector(t *testing.T, h Harness) {
	b := h.fresh(t)
	enable(t, b)
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		if err := tx.SetVector(entry.Vector{replicaID(2): 5, replicaID(3): 1}); err != nil {
			return err
		}
		if err := tx.SetVector(entry.Vector{replicaID(2): 6}); err != nil {
			return err
		}
		v, err := tx.Vector()
		v[replicaID(9)] = 1 // the caller owns the vector
		return err
	})
	_, seen, err := replicasOf(t, b).Replica(t.Context())
	if want := (entry.Vector{replicaID(2): 6, replicaID(3): 1}); err != nil || !cmp.Equal(seen, want) {
		t.Errorf("got %v (%v), want %v", seen, err, want)
	}
}

func replicaFails(t *testing.T, h Harness) {
	b := h.fresh(t)
	enable(t, b)
	failed := errors.New("failed")
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		r := driver.ReplicaOf(tx)
		return errors.Join(r.SetReplica(driver.Replica{ID: replicaID(1), Seq: 1}), r.Hold(heldEntry(1, 1, id(1), 1, "a")), r.SetVector(entry.Vector{replicaID(2): 1}), r.Await(id(1), id(2)), failed)
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	r, seen, err := replicasOf(t, b).Replica(t.Context())
	list, lerr := replicasOf(t, b).EntriesOf(t.Context(), replicaID(1), 0, 9, 9)
	if err != nil || lerr != nil || r.Seq != 0 || len(seen) > 0 || len(list) > 0 {
		t.Errorf("got %v, %v, %d entries, %v, %v", r, seen, len(list), err, lerr)
	}
}

func replicaRenewed(t *testing.T, h Harness) {
	b := h.fresh(t)
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		return errors.Join(tx.SetReplica(driver.Replica{ID: replicaID(1), Seq: 4}), tx.Hold(heldEntry(1, 4, id(1), 4, "a")), tx.SetReplica(driver.Replica{ID: replicaID(2)}))
	})
	replicaWrite(t, b, func(tx driver.ReplicaTx) error { return tx.SetReplica(driver.Replica{ID: replicaID(2), Seq: 1}) })
	_, seen, err := replicasOf(t, b).Replica(t.Context())
	if want := (entry.Vector{replicaID(1): 4, replicaID(2): 1}); err != nil || !cmp.Equal(seen, want) {
		t.Errorf("got %v (%v), want %v", seen, err, want)
	}
}

func replicaWaits(t *testing.T, h Harness) {
	b := h.fresh(t)
	enable(t, b)
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		return errors.Join(tx.Await(id(2), id(9)), tx.Await(id(1), id(9)), tx.Await(id(1), id(9)), tx.Await(id(1), id(8)))
	})
	for _, want := range [][]hippo.ID{{id(1), id(2)}, nil} {
		replicaWrite(t, b, func(tx driver.ReplicaTx) error {
			got, err := tx.Arrived(id(9))
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			return err
		})
	}
}

// replicaMemories writes an entry and a memory in one transaction, and checks that neither affects the other.
func replicaMemories(t *testing.T, h Harness) {
	b := h.fresh(t)
	enable(t, b)
	m := plain(1)
	err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		return errors.Join(tx.Put(m), driver.ReplicaOf(tx).Hold(heldEntry(1, 1, m.ID, 1, "a")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Purge(m.ID) }); err != nil {
		t.Fatal(err)
	}
	list, err := replicasOf(t, b).EntriesOf(t.Context(), replicaID(1), 0, 9, 9)
	head, herr := b.Head(t.Context())
	if err != nil || herr != nil || len(list) != 1 || head.Revision != 2 || head.Memories != 0 {
		t.Errorf("got %d entries, head %+v, %v, %v", len(list), head, err, herr)
	}
}

// replicaReopened checks that sync data survives closing and reopening the store.
func replicaReopened(t *testing.T, h Harness) {
	place := h.Place(t)
	want := driver.Replica{ID: replicaID(1), Clock: clock.Clock{Last: 99}, Seq: 1, From: 1}
	reopen(t, place, func(b driver.Backend) {
		replicaWrite(t, b, func(tx driver.ReplicaTx) error {
			return errors.Join(tx.SetReplica(want), tx.Hold(heldEntry(1, 1, id(1), 1, "a")), tx.SetVector(entry.Vector{replicaID(2): 3}))
		})
	})
	b := open(t, place)
	r, seen, err := replicasOf(t, b).Replica(t.Context())
	if err != nil || r != want || !cmp.Equal(seen, entry.Vector{replicaID(1): 1, replicaID(2): 3}) {
		t.Errorf("got %v, %v, %v", r, seen, err)
	}
	list, err := replicasOf(t, b).EntriesOf(t.Context(), replicaID(1), 0, 9, 9)
	if d := sameHeld(list, heldEntry(1, 1, id(1), 1, "a")); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
}

// replicaSegments replaces the entries of a segment in an order that briefly leaves the segment empty.
func replicaSegments(t *testing.T, h Harness) {
	b := h.fresh(t)
	enable(t, b)
	one, two, three := heldEntry(1, 4, id(1), 4, "a"), heldEntry(1, 5, id(1), 4, "a"), heldEntry(1, 9, id(2), 9, "a")
	gone := func(of *entry.Held) *entry.Held {
		c := *of.Entry
		c.Parts = nil
		return &entry.Held{Entry: &c, From: of.From}
	}
	replicaWrite(t, b, func(tx driver.ReplicaTx) error { return tx.Hold(one, three) })
	replicaWrite(t, b, func(tx driver.ReplicaTx) error { return tx.Hold(two, gone(one), gone(two), one, gone(one), two) })
	list, err := replicasOf(t, b).EntriesOf(t.Context(), replicaID(1), 0, 9, 9)
	if d := sameHeld(list, two, three); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	replicaWrite(t, b, func(tx driver.ReplicaTx) error {
		if err := tx.Hold(gone(two)); err != nil {
			return err
		}
		v, err := tx.SegmentVector(replicaID(1), 9)
		if v == nil {
			t.Error("the vector of a segment that has an entry is gone")
		}
		return err
	})
}
