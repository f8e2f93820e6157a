package sharedstore_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/hippo-memory/hippo"
)

// The number of a memory is the id of its row, for rows of either side; equal texts share one.
func TestShared_numbers(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		m, twin := memory(1, redis), memory(2, redis)
		put(t, s, m)
		put(t, s, twin)
		ids := []hippo.ID{all(t, s)[port].ID, m.ID, twin.ID, memory(3, "not stored").ID}
		got, err := s.Numbers(t.Context(), ids)
		if err != nil || len(got) != 3 {
			t.Fatalf("got %v (%v)", got, err)
		}
		for i, text := range []string{port, redis, redis} {
			if want := p.text("SELECT id FROM memories WHERE content = ?", text); strconv.FormatInt(got[ids[i]], 10) != want {
				t.Errorf("%s has number %d, want the id of its row, %s", text, got[ids[i]], want)
			}
		}
		bearers, err := s.Bearers(t.Context(), got[m.ID])
		slices.SortFunc(bearers, hippo.ID.Compare)
		if err != nil || !slices.Equal(bearers, ids[1:3]) {
			t.Errorf("got %v (%v), want %v", bearers, err, ids[1:3])
		}
		p.store(cat+" again", "", "note", "{}", 1500) // another program, meanwhile
		n, err := strconv.ParseInt(p.text("SELECT id FROM memories WHERE content = ?", cat+" again"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if bearers, err = s.Bearers(t.Context(), n); err != nil || len(bearers) != 1 {
			t.Errorf("got %v (%v) for a new row", bearers, err)
		}
	})
}
