package merge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// kinds returns the name of one part of each kind.
func kinds() []string {
	return []string{
		Origin, Text, Tags, Importance, Pinned, Validity, EventTime, Successor, Forgotten, Archived, Project, Trust, Vote, Uses, Purged,
		Meta("key"), relationPrefix + memoryID(9).String() + ":0:explains", "part of a later program",
	}
}

// TestLaws checks the laws of joining on entries of every pair and triple of kinds.
func TestLaws(t *testing.T) {
	t.Parallel()
	all := kinds()
	r := rand.New(rand.NewPCG(37, 37)) //nolint:gosec // repeatable
	for i := range all {
		for k := i; k < len(all); k++ {
			for l := k; l < len(all); l++ {
				for range 3 {
					laws(t, r, all[i], all[k], all[l])
				}
			}
		}
	}
}

func TestLaws_many_votes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(37, 38)) //nolint:gosec // repeatable
	list := entriesOf(r, 6*MaxVotes, []string{Vote, Vote, Vote, Text})
	if n := len(NewSubject(memoryID(0), list...).Register(Vote)); n != 3*MaxVotes {
		t.Errorf("%d votes are kept, want %d of each of 3 replicas", n, MaxVotes)
	}
	for range 10 {
		lawsOf(t, r, list, "votes")
	}
}

func laws(t *testing.T, r *rand.Rand, names ...string) {
	t.Helper()
	lawsOf(t, r, entriesOf(r, 10, names), names...)
}

// entriesOf returns the entries that three replicas write to one memory. The replicas sometimes see each other's entries.
func entriesOf(r *rand.Rand, n int, names []string) []*entry.Held {
	var list []*entry.Held
	writers, states, vectors := make([]Writer, 3), make([]*Subject, 3), make([]entry.Vector, 3)
	for i := range writers {
		writers[i].Replica, states[i], vectors[i] = clock.Replica{15: byte(i + 1)}, NewSubject(memoryID(0)), entry.Vector{}
	}
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for step := range n {
		i := r.IntN(3)
		if r.IntN(2) == 0 && len(list) > 0 {
			h := list[r.IntN(len(list))]
			states[i].Join(h)
			writers[i].Saw(now, h)
			if h.Seq == vectors[i][h.Origin]+1 {
				vectors[i].Add(h.Dot)
			}
		}
		value := json.RawMessage(fmt.Sprint(step))
		held := writers[i].Write(now, states[i], map[string]json.RawMessage{names[r.IntN(len(names))]: value}, func() entry.Vector { return vectors[i] })
		for _, h := range held {
			vectors[i].Add(h.Dot)
		}
		list = append(list, held...)
	}
	return list
}

func lawsOf(t *testing.T, r *rand.Rand, list []*entry.Held, names ...string) {
	t.Helper()
	var parts [3][]*entry.Held
	for _, h := range list {
		k := r.IntN(3)
		parts[k] = append(parts[k], h)
		if r.IntN(3) == 0 {
			k = r.IntN(3)
			parts[k] = append(parts[k], h)
		}
	}
	join := func(sides ...[]*entry.Held) []*entry.Held {
		var all []*entry.Held
		for _, one := range sides {
			all = append(all, one...)
		}
		r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		return NewSubject(memoryID(0), all...).Held()
	}
	a, b, c := join(parts[0]), join(parts[1]), join(parts[2])
	want := text(join(list))
	for law, got := range map[string][]*entry.Held{
		"associative, left first":  join(join(a, b), c),
		"associative, right first": join(a, join(b, c)),
		"commutative":              join(c, b, a),
		"idempotent":               join(join(a, b, c), a, a, b, c),
	} {
		if text(got) != want {
			t.Fatalf("%v: %s: got\n%s, want\n%s", names, law, text(got), want)
		}
	}
}

func text(list []*entry.Held) string {
	var b strings.Builder
	for _, h := range list {
		fmt.Fprintf(&b, "%v %s\n", h.Origin, h.Line())
	}
	return b.String()
}

func TestSubject_keeps_what_it_is_given(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(37, 39)) //nolint:gosec // repeatable
	list := entriesOf(r, 30, kinds()[:14])
	before := text(list)
	s := NewSubject(memoryID(0), list...)
	held := slices.Clone(s.Held())
	kept := text(held)
	for _, h := range entriesOf(r, 30, kinds()) {
		s.Join(h)
	}
	if text(list) != before || text(held) != kept {
		t.Error("a join has changed an entry of the caller")
	}
}
