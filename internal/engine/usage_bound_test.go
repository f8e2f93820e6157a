package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

func drawWords(t *rapid.T, name string) string {
	w := []string{"backup", "billing", "database", "night", "key", "lamp", "river", "slow", "token", "queue"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(w), 1, 6).Draw(t, name), " ")
}

// drawUsed draws an engine with memories at random.
func drawUsed(t *rapid.T, change func(*rank.Weights)) (f *fixture, ids []hippo.ID) {
	o := options{weights: changed(change)}
	if rapid.Bool().Draw(t, "rerank") {
		o.tokens = &embedtest.Tokens{}
	}
	f = open(t, o)
	for i := range rapid.IntRange(2, 12).Draw(t, "memories") {
		m := &hippo.Memory{
			Content:    drawWords(t, "content"),
			Importance: hippo.Importance{Base: rapid.Float64Range(0, 1).Draw(t, "importance")},
			Pinned:     rapid.Bool().Draw(t, "pinned"),
		}
		if session := rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(t, "session"); session != "" {
			m.Source = hippo.Source{Session: session, Seq: i}
		}
		f.advance(0, time.Second)
		if _, err := memory.Record(t.Context(), f.Memories, m); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.ID)
	}
	return f, ids
}

// useAtRandom votes for memories, searches, or lets days pass.
func useAtRandom(t *rapid.T, f *fixture, ids []hippo.ID) {
	id := rapid.SampledFrom(ids).Draw(t, "id")
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0:
		f.advance(rapid.IntRange(1, 40).Draw(t, "days"), 0)
	case 1:
		f.vote([]hippo.ID{id}, nil)
	case 2:
		f.vote(nil, []hippo.ID{id})
	default:
		q := hippo.Query{Text: drawWords(t, "used"), Count: rapid.IntRange(1, 3).Draw(t, "count")}
		for range rapid.IntRange(1, 20).Draw(t, "times") {
			f.search(q)
		}
	}
}

// drawUse asks the same before and after a history of use: what each text scored before, and
// the hits after.
func drawUse(t *rapid.T, change func(*rank.Weights)) (before map[hippo.ID]float64, after []hippo.Hit) {
	f, ids := drawUsed(t, change)
	q := hippo.Query{Text: drawWords(t, "query"), Count: 100, NoTouch: true, Detail: hippo.Detail{Each: true}}
	before = make(map[hippo.ID]float64)
	for _, h := range f.search(q).Hits {
		before[h.Memory.ID] = h.Signals.Text
	}
	for range rapid.IntRange(0, 12).Draw(t, "history") {
		useAtRandom(t, f, ids)
	}
	return before, f.search(q).Hits
}

// The bound of docs/ranking.md: a text that is better by more than the bound comes first,
// whatever was voted, used or pinned; and the score of a text does not depend on any of that,
// but for learned relations.
func TestUsage_TheBoundHolds(t *testing.T) {
	t.Parallel()
	bound := rank.DefaultWeights().Prior.Bound
	rapid.Check(t, func(t *rapid.T) {
		before, hits := drawUse(t, func(w *rank.Weights) { w.Relations = rank.Relations{} })
		if len(hits) != len(before) {
			t.Fatalf("%d hits before, %d after", len(before), len(hits))
		}
		for i, h := range hits {
			if was := before[h.Memory.ID]; was != h.Signals.Text {
				t.Fatalf("use changed the score of the text of %q from %v to %v", h.Memory.Content, was, h.Signals.Text)
			}
			if j := slices.IndexFunc(hits[i+1:], func(o hippo.Hit) bool { return o.Signals.Text*(1-bound) > h.Signals.Text }); j >= 0 {
				t.Fatalf("%q (%+v) is before %q (%+v)", h.Memory.Content, h.Signals, hits[i+1+j].Memory.Content, hits[i+1+j].Signals)
			}
		}
	})
}

// The bounds together: what was used together raises a text by no more than the boost of
// relations, or to the share of the best text that a pull gives, and one that was better by
// more than that and the bound of use comes first.
func TestUsage_TheBoundsHoldTogether(t *testing.T) {
	t.Parallel()
	w := rank.DefaultWeights()
	rapid.Check(t, func(t *rapid.T) {
		before, hits := drawUse(t, nil)
		best := 0.0
		for _, h := range hits {
			best = max(best, h.Signals.Text)
		}
		for i, h := range hits {
			was := before[h.Memory.ID]
			most := max(was+w.Relations.Boost*(1-was), w.Relations.Pull*best) + 1e-9
			if text := h.Signals.Text; text < was || text > most {
				t.Fatalf("relations changed the score of the text of %q from %v to %v, want at most %v", h.Memory.Content, was, text, most)
			}
			if j := slices.IndexFunc(hits[i+1:], func(o hippo.Hit) bool { return before[o.Memory.ID]*(1-w.Prior.Bound) > most }); j >= 0 {
				t.Fatalf("%q (%+v) is before %q (%+v)", h.Memory.Content, h.Signals, hits[i+1+j].Memory.Content, hits[i+1+j].Signals)
			}
		}
	})
}
