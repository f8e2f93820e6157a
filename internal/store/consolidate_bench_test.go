package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// BenchmarkTidy measures the transaction of a consolidation that records summaries of 24 memories each.
func BenchmarkTidy(b *testing.B) {
	const groups, members = 100, 24
	s, err := openKind(b.Context(), "sqlite", b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	seen := make(map[hippo.ID]*hippo.Memory)
	var ids []hippo.ID
	for i := range groups * members {
		m := memory(fmt.Sprintf("memory %d", i))
		if err := local(s).Add(b.Context(), m); err != nil {
			b.Fatal(err)
		}
		seen[m.ID] = m
		ids = append(ids, m.ID)
	}
	for b.Loop() {
		t := &store.Tidying{Seen: seen}
		for g := range groups {
			x := store.Summary{Memory: memory(fmt.Sprintf("what group %d says", g))}
			for _, id := range ids[g*members : (g+1)*members] {
				x.Relations = append(x.Relations, hippo.Relation{To: id, Kind: "summarizes", Weight: 1, LastReinforced: time.Unix(1_800_000_000, 0).UTC()})
			}
			t.Summaries = append(t.Summaries, x)
		}
		done, err := store.Tidy(b.Context(), local(s), t)
		if err != nil || done.Recorded != groups {
			b.Fatalf("%+v (%v)", done, err)
		}
	}
}
