package drivertest

import (
	"testing"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

func headChecks() []check {
	return []check{
		{"counts_memories_and_forgotten_ones", headCounts},
		{"identity_is_fixed_and_its_own", headIdentity},
	}
}

func headCounts(t *testing.T, h Harness) {
	b := h.fresh(t)
	steps := []struct {
		name                string
		fn                  func(driver.Tx) error
		memories, forgotten int
	}{
		{"add", func(tx driver.Tx) error { return tx.Put(plains(0, 5)...) }, 5, 0},
		{"forget", func(tx driver.Tx) error { return tx.Put(forgotten(1), forgotten(2)) }, 5, 2},
		{"forget_again", func(tx driver.Tx) error { return tx.Put(forgotten(2)) }, 5, 2},
		{"restore", func(tx driver.Tx) error { return tx.Put(plain(1)) }, 5, 1},
		{"add_forgotten", func(tx driver.Tx) error { return tx.Put(full(7), forgotten(8)) }, 7, 3},
		{"purge_one_of_each", func(tx driver.Tx) error { return tx.Purge(id(0), id(2)) }, 5, 2},
		{"purge_again", func(tx driver.Tx) error { return tx.Purge(id(0), id(2)) }, 5, 2},
		{"touch", func(tx driver.Tx) error { return touchIn(tx, 9, id(3), id(7)) }, 5, 2},
		{"back_and_forth", func(tx driver.Tx) error { return tx.Put(forgotten(3), plain(3), forgotten(3)) }, 5, 3},
		{"come_back", func(tx driver.Tx) error { return tx.Put(forgotten(0)) }, 6, 4},
		{"purge_all", func(tx driver.Tx) error { return tx.Purge(idRange(10)...) }, 0, 0},
	}
	for _, step := range steps {
		write(t, b, step.fn)
		got := head(t, b)
		if got.Memories != step.memories || got.Forgotten != step.forgotten {
			t.Errorf("%s: head counts %d memories, %d forgotten, want %d, %d",
				step.name, got.Memories, got.Forgotten, step.memories, step.forgotten)
		}
	}
}

func headIdentity(t *testing.T, h Harness) {
	b := h.fresh(t)
	want := head(t, b).Store
	put(t, b, plain(1))
	purge(t, b, id(1))
	if got := head(t, b).Store; got != want || want == "" {
		t.Errorf("identity is %q after writing, %q before", got, want)
	}
	if other := head(t, h.fresh(t)).Store; other == want {
		t.Errorf("two stores have the identity %q", want)
	}
}
