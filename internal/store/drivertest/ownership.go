package drivertest

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func ownershipChecks() []check {
	return []check{
		{"what_is_put_is_copied", ownPut},
		{"what_get_returns_is_the_callers", ownGet},
		{"what_changes_yields_is_the_callers", ownChanges},
		{"what_a_transaction_returns_is_the_callers", ownTx},
	}
}

// scribble changes everything that a shallow copy would share.
func scribble(ms ...*hippo.Memory) {
	for _, m := range ms {
		m.Content = "scribbled"
		m.Situation[0] = "scribbled"
		m.Tags[0] = "scribbled"
		m.Accesses[0].Count = 999
		copy(m.Metadata["answer"], "13")
		m.Metadata["scribbled"] = []byte(`true`)
	}
}

func ownPut(t *testing.T, h Harness) {
	b := h.fresh(t)
	m := full(1)
	put(t, b, m)
	want := m.Clone()
	scribble(m)
	same(t, "stored memory", get(t, b, m.ID), []*hippo.Memory{want})
	write(t, b, func(tx driver.Tx) error {
		m = full(2) // a new one each time: the transaction may run again
		if err := tx.Put(m); err != nil {
			return err
		}
		want = m.Clone()
		scribble(m)
		return nil
	})
	same(t, "memory changed before the commit", get(t, b, m.ID), []*hippo.Memory{want})
}

func ownGet(t *testing.T, h Harness) {
	b := h.fresh(t)
	want := []*hippo.Memory{full(1), full(2)}
	put(t, b, want...)
	other := get(t, b, id(1), id(2))
	scribble(get(t, b, id(1), id(2))...)
	same(t, "another answer", other, want)
	same(t, "a later answer", get(t, b, id(1), id(2)), want)
	same(t, "changes", existing(changes(t, b, 0)), want)
}

func ownChanges(t *testing.T, h Harness) {
	b := h.fresh(t)
	want := []*hippo.Memory{full(1), full(2)}
	put(t, b, want...)
	scribble(existing(changes(t, b, 0))...)
	same(t, "changes", existing(changes(t, b, 0)), want)
	same(t, "memories", get(t, b, id(1), id(2)), want)
}

func ownTx(t *testing.T, h Harness) {
	b := h.fresh(t)
	want := []*hippo.Memory{full(1), full(2)}
	put(t, b, want...)
	write(t, b, func(tx driver.Tx) error {
		got, err := tx.Get(id(1), id(2))
		if err != nil {
			return err
		}
		scribble(got...)
		again, err := tx.Get(id(1), id(2))
		same(t, "in the same transaction", again, want)
		return err
	})
	same(t, "after the transaction", get(t, b, id(1), id(2)), want)
}
