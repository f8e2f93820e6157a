package engine_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
)

// Ranker cosine orders as a direct computation does, whatever happened.
func TestEmbedding_EqualsOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := embedtest.NewWords("word")
		w.Dense = true
		w.Identity.Dimension = rapid.SampledFrom([]int{2, 8, 31, 32, 100}).Draw(r, "dimension")
		f := openWithModels(r, instant(w))
		o := &oracle{f: f, model: w, texts: make(map[hippo.ID]string), hidden: make(map[hippo.ID]string)}
		r.Repeat(map[string]func(*rapid.T){
			"record":  func(r *rapid.T) { o.record(r) },
			"modify":  func(r *rapid.T) { o.modify(r) },
			"forget":  func(r *rapid.T) { o.move(r, o.texts, o.hidden, f.forget) },
			"restore": func(r *rapid.T) { o.move(r, o.hidden, o.texts, f.restore) },
			"purge":   func(r *rapid.T) { o.purge(r) },
			"search":  func(r *rapid.T) { o.search(r) },
		})
	})
}

// oracle knows what can be found.
type oracle struct {
	f             *fixture
	model         *embedtest.Words
	texts, hidden map[hippo.ID]string
}

func (o *oracle) text(r *rapid.T) string {
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("car vehicle fuel petrol doctor repair red green blue")), 1, 4)
	return strings.Join(words.Draw(r, "text"), " ")
}

func (o *oracle) pick(r *rapid.T, from map[hippo.ID]string) hippo.ID {
	if len(from) == 0 {
		r.Skip("there is none")
	}
	var ids []hippo.ID
	for id := range from {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	return rapid.SampledFrom(ids).Draw(r, "memory")
}

func (o *oracle) record(r *rapid.T) {
	for range rapid.IntRange(1, 8).Draw(r, "memories") {
		text := o.text(r)
		o.texts[o.f.record(text, .5)] = text
	}
}

func (o *oracle) modify(r *rapid.T) {
	id, text := o.pick(r, o.texts), o.text(r)
	o.f.modify(id, api.Change{Content: &text})
	o.texts[id] = text
}

func (o *oracle) move(r *rapid.T, from, to map[hippo.ID]string, mark func(hippo.ID)) {
	id := o.pick(r, from)
	mark(id)
	to[id] = from[id]
	delete(from, id)
}

func (o *oracle) purge(r *rapid.T) {
	id := o.pick(r, o.texts)
	o.f.purge(id)
	delete(o.texts, id)
}

// search compares one answer. The scan that finds candidates is right to .01, so what is that
// near to 0 may be a hit or not.
func (o *oracle) search(r *rapid.T) {
	const rounding, rough = 1e-3, .02
	text := o.text(r)
	q := o.model.Vector(text)
	hits := o.f.search(hippo.Query{Text: text, Ranker: hippo.RankerCosine, Count: hippo.MaxCount, Detail: hippo.Detail{Each: true}}).Hits
	found := make(map[hippo.ID]bool)
	last := 1.0
	for _, h := range hits {
		content, ok := o.texts[h.Memory.ID]
		if !ok || found[h.Memory.ID] || content != h.Memory.Content {
			r.Fatalf("found %q, which is %q (known %v, twice %v)", h.Memory.Content, content, ok, found[h.Memory.ID])
		}
		found[h.Memory.ID] = true
		want := max(0, dot(q, o.model.Vector(content)))
		if d := h.Relevance - want; d > rounding || d < -rounding {
			r.Fatalf("%q for %q: relevance %v, want %v", content, text, h.Relevance, want)
		}
		if want > last+rounding {
			r.Fatalf("%q, of cosine %v, is after one of %v", content, want, last)
		}
		last = want
	}
	for id, content := range o.texts {
		if c := dot(q, o.model.Vector(content)); c > rough && !found[id] && len(hits) < hippo.MaxCount {
			r.Fatalf("%q, of cosine %v, is not found by %q", content, c, text)
		}
	}
}

// dot is the inner product of two vectors, in float32.
func dot(a, b []float32) float64 {
	sum := float32(0)
	for i := range a {
		sum += a[i] * b[i]
	}
	return float64(sum)
}
