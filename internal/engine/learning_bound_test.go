package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rank"
)

// past is an engine with memories at random and a history of their use.
type past struct {
	*engine.Engine
	now time.Time
	ids []hippo.ID
	t   *rapid.T
}

func words(t *rapid.T, name string) string {
	w := []string{"backup", "billing", "database", "night", "key", "lamp", "river", "slow", "token", "queue"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(w), 1, 6).Draw(t, name), " ")
}

// drawPast draws one whose ranker has weights that change changed, if not nil.
func drawPast(t *rapid.T, change func(*rank.Weights)) *past {
	p := &past{t: t}
	var pieces embed.TokenEmbedder
	if rapid.Bool().Draw(t, "closely") {
		pieces = &wordPieces{}
	}
	p.Engine = openWeighted(t, &p.now, pieces, change)
	for i := range rapid.IntRange(2, 12).Draw(t, "memories") {
		m := &hippo.Memory{
			Content:    words(t, "content"),
			Importance: hippo.Importance{Base: rapid.Float64Range(0, 1).Draw(t, "importance")},
			Pinned:     rapid.Bool().Draw(t, "pinned"),
		}
		if session := rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(t, "session"); session != "" {
			m.Source = hippo.Source{Session: session, Seq: i}
		}
		p.now = p.now.Add(time.Second)
		if _, err := p.Record(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		p.ids = append(p.ids, m.ID)
	}
	return p
}

// live does something at random.
func (p *past) live() {
	id := rapid.SampledFrom(p.ids).Draw(p.t, "id")
	var err error
	switch rapid.IntRange(0, 4).Draw(p.t, "what") {
	case 0:
		p.now = p.now.AddDate(0, 0, rapid.IntRange(1, 40).Draw(p.t, "days"))
	case 1:
		_, err = p.Reinforce(p.t.Context(), []hippo.ID{id}, nil)
	case 2:
		_, err = p.Reinforce(p.t.Context(), nil, []hippo.ID{id})
	default:
		q := hippo.Query{Text: words(p.t, "used"), Count: rapid.IntRange(1, 3).Draw(p.t, "count")}
		for range rapid.IntRange(1, 20).Draw(p.t, "times") {
			if _, err = p.Search(p.t.Context(), q); err != nil {
				break
			}
		}
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// end closes the engine; what is stored already needs no delay.
func (p *past) end() {
	if err := errors.Join(p.Flush(p.t.Context()), p.Close()); err != nil {
		p.t.Error(err)
	}
}

func (p *past) hits(text string) []hippo.Hit {
	a, err := p.Search(p.t.Context(), hippo.Query{Text: text, Count: 100, NoTouch: true})
	if err != nil {
		p.t.Fatal(err)
	}
	return a.Hits
}

// The bound of docs/ranking.md: a text that is better by more than the bound comes
// first, whatever was voted, opened or pinned; and what a text says about a query
// does not depend on any of that, but for what is learned of relations.
func TestLearning_TheBoundHolds(t *testing.T) {
	t.Parallel()
	bound := rank.DefaultWeights().PriorBound
	rapid.Check(t, func(t *rapid.T) {
		before, hits := drawUse(t, func(w *rank.Weights) { w.Relations = rank.Relations{} })
		if len(hits) != len(before) {
			t.Fatalf("%d hits before, %d after", len(before), len(hits))
		}
		for i, h := range hits {
			if was := before[h.Memory.ID]; was != h.Signals.Text {
				t.Fatalf("use changed what %q says from %v to %v", h.Memory.Content, was, h.Signals.Text)
			}
			if j := slices.IndexFunc(hits[i+1:], func(o hippo.Hit) bool { return o.Signals.Text*(1-bound) > h.Signals.Text }); j >= 0 {
				t.Fatalf("%q (%+v) is before %q (%+v)", h.Memory.Content, h.Signals, hits[i+1+j].Memory.Content, hits[i+1+j].Signals)
			}
		}
	})
}

// The bounds together: what was found together lifts a text by no more than the
// bound of relations, or to the part of the best text that a pull gives, and one
// that was better by more than that and the bound of use comes first.
func TestLearning_TheBoundsHoldTogether(t *testing.T) {
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
			most := max(was+w.Relations.Bound*(1-was), w.Relations.Pull*best) + 1e-9
			if text := h.Signals.Text; text < was || text > most {
				t.Fatalf("relations changed what %q says from %v to %v, want at most %v", h.Memory.Content, was, text, most)
			}
			if j := slices.IndexFunc(hits[i+1:], func(o hippo.Hit) bool { return before[o.Memory.ID]*(1-w.PriorBound) > most }); j >= 0 {
				t.Fatalf("%q (%+v) is before %q (%+v)", h.Memory.Content, h.Signals, hits[i+1+j].Memory.Content, hits[i+1+j].Signals)
			}
		}
	})
}

// drawUse asks a past the same question before and after a history of use: what
// each text said before, and the hits after.
func drawUse(t *rapid.T, change func(*rank.Weights)) (before map[hippo.ID]float64, after []hippo.Hit) {
	p := drawPast(t, change)
	defer p.end()
	query := words(t, "query")
	before = make(map[hippo.ID]float64)
	for _, h := range p.hits(query) {
		before[h.Memory.ID] = h.Signals.Text
	}
	for range rapid.IntRange(0, 12).Draw(t, "history") {
		p.live()
	}
	return before, p.hits(query)
}
