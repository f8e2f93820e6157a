package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store"
)

func TestEmbedding_FindsWithoutACommonWord(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("word")))
	f.record("automobile petrol", .5)
	f.record("lunch menu", .5)
	for _, r := range []hippo.Ranker{hippo.RankerHippo, hippo.RankerCosine, hippo.RankerInsight} {
		f.wantOrder(hippo.Query{Text: "car", Ranker: r}, "automobile petrol")
	}
	f.wantOrder(hippo.Query{Text: "car", Ranker: hippo.RankerBM25})
	a := f.search(hippo.Query{Text: "car"})
	if s := a.Hits[0].Signals; s.Cosine < .6 || s.Cosine > .8 || s.BM25 != 0 || len(a.Degraded) != 0 {
		t.Errorf("got signals %+v, degraded %q", s, a.Degraded)
	}
	if s := f.status(); len(s.Degraded) != 0 || len(s.Models) != 1 || s.Models[0].Embedded != 2 {
		t.Errorf("got status %+v", s)
	}
	f.wantServing("word@1")
	f.wantStored(map[string]int{})
}

func TestEmbedding_CosineOrders(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("word")))
	var want []string
	for n := range 6 { // the more words the less is about cars
		text := "vehicle"
		for i := range n {
			text += fmt.Sprintf(" other%d%d", n, i)
		}
		want = append(want, text)
	}
	for _, i := range []int{3, 0, 5, 1, 4, 2} {
		f.record(want[i], float64(i)/5) // what is least alike counts most otherwise
	}
	f.wantOrder(hippo.Query{Text: "car", Ranker: hippo.RankerCosine}, want...)
	for i, h := range f.search(hippo.Query{Text: "car", Ranker: hippo.RankerCosine}).Hits {
		if fmt.Sprintf("%.9f", h.Relevance) != fmt.Sprintf("%.9f", h.Signals.Cosine) {
			t.Errorf("hit %d: relevance %v, cosine %v", i, h.Relevance, h.Signals.Cosine)
		}
	}
}

// Content is a gate in ranker insight: a cosine above .4 opens it as a word does.
func TestEmbedding_OpensTheGateOfInsight(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("word")))
	f.record("vehicle one two", .5)                           // 1/sqrt(3)
	f.record("vehicle red green blue white black silver", .5) // 1/sqrt(7)
	q := hippo.Query{Text: "car", Ranker: hippo.RankerInsight}
	f.wantOrder(q, "vehicle one two")
	if a := f.search(q); a.Total != 1 || a.Distribution.Sum() != 1 {
		t.Errorf("got total %d, distribution %v, want one match", a.Total, a.Distribution)
	}
}

func TestEmbedding_SituationsMatch(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("word")))
	f.record("use a torque wrench", .5, "mending")
	f.record("use a whisk", .5, "cooking")
	q := hippo.Query{Situation: []string{"repair"}}
	f.wantOrder(q, "use a torque wrench")
	if c := f.search(q).Hits[0].Signals.Context; c <= .4 || c > .9 {
		t.Errorf("got context %v, want at most .9", c)
	}
	f.record("use glue", .5, "fixing")
	f.wantOrder(hippo.Query{Situation: []string{"repair"}, Text: "torque wrench"}, "use a torque wrench")
	if got := f.search(q).Total; got != 2 {
		t.Errorf("got %d, want the later memory, too", got)
	}
	f.wantStored(map[string]int{})
}

// A situation that is preferred orders; it leaves out nothing, also of what is found without a common word.
func TestEmbedding_PreferredSituationHidesNothing(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("word")))
	f.record("automobile petrol", .5, "in the garage")
	f.record("vehicle lease", .5, "at the office")
	for place, want := range map[string][]string{
		"in the garage": {"automobile petrol", "vehicle lease"}, "at the office": {"vehicle lease", "automobile petrol"},
	} {
		f.wantOrder(hippo.Query{Text: "car", Situation: []string{place}}, want...)
		f.wantOrder(hippo.Query{Text: "car", Situation: []string{place}, Strict: true}, want[0])
	}
	if got := f.search(hippo.Query{Text: "car", Situation: []string{"on a boat"}}).Total; got != 2 {
		t.Errorf("with a situation of no memory it found %d, want 2", got)
	}
}

func TestEmbedding_FollowsChanges(t *testing.T) {
	t.Parallel()
	w := embedtest.NewWords("word")
	b := newPersistent()
	f := open(t, options{backend: b, models: []embedding.Model{instant(w)}})
	id := f.record("vehicle", .5)
	q := hippo.Query{Text: "car", NoTouch: true}
	f.wantOrder(q, "vehicle")
	if got := w.Passages(); !slices.Equal(got, []string{"vehicle"}) {
		t.Errorf("embedded %q", got)
	}
	f.search(q)
	if got := w.Passages(); len(got) != 0 {
		t.Errorf("embedded %q again", got)
	}
	text := "physician"
	f.modify(id, api.Change{Content: &text})
	f.wantOrder(q)
	f.wantOrder(hippo.Query{Text: "doctor"}, "physician")
	f.forget(id)
	f.wantOrder(hippo.Query{Text: "doctor"})
	f.restore(id)
	f.wantOrder(hippo.Query{Text: "doctor"}, "physician")
	f.purge(id)
	f.wantOrder(hippo.Query{Text: "doctor"})
	other := store.New(b, nil).In(f.Scope) // as another process would
	late := &hippo.Memory{Content: "automobile", Trust: hippo.TrustNormal, Source: hippo.Source{Kind: hippo.SourceAgent}}
	if err := other.Add(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	f.wantOrder(q, "automobile")
	if err := other.Purge(t.Context(), []hippo.ID{late.ID}); err != nil {
		t.Fatal(err)
	}
	f.wantOrder(q)
}

// Hits are in the range that was asked for, to the last digit.
func TestEmbedding_RelevanceRange(t *testing.T) {
	t.Parallel()
	w := embedtest.NewWords("quick")
	w.Dense, w.Identity.Dimension = true, 64
	f := openWithModels(t, instant(w))
	for i := range 400 {
		f.record(fmt.Sprintf("car word%d", i), .5)
	}
	wrong, hits := 0, 0
	for i := range 20 {
		r := hippo.Range{Min: .6 + float64(i)/100, Max: .6 + float64(i+1)/100}
		a := f.search(hippo.Query{Text: "car", Ranker: hippo.RankerCosine, Relevance: &r, Count: hippo.MaxCount, NoTouch: true})
		for _, h := range a.Hits {
			if hits++; h.Relevance < r.Min || h.Relevance > r.Max {
				wrong++
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d hits are outside of the range", wrong, hits)
	}
}
