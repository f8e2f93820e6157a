package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func (f *fixture) relate(from int, kind string, to int, weight float64) {
	f.t.Helper()
	_, err := knowledge.Relate(f.t.Context(), f.Memories, []hippo.Relation{{From: idOf(from), To: idOf(to), Kind: kind, Weight: weight}})
	if err != nil {
		f.t.Fatal(err)
	}
}

func TestRelate_PullsWhatDoesNotMatch(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "gateway timeout"), turn(2, "", "raise the pool"), turn(3, "", "bread needs salt"), turn(4, "", "gateway here"))
	q := hippo.Query{Text: "gateway timeout", NoTouch: true}
	f.wantOrder(q, "gateway timeout", "gateway here")
	f.relate(2, "fixes", 1, 1)
	f.relate(2, "needs", 3, 1) // not of a hit
	a := f.search(q)
	if got := contents(a); !slices.Contains(got, "raise the pool") || slices.Contains(got, "bread needs salt") || got[0] != "gateway timeout" {
		t.Errorf("found %q", got)
	}
	if a.Total != 3 || a.Distribution.Sum() != 3 {
		t.Errorf("total %d, distribution %v", a.Total, a.Distribution)
	}
	for _, h := range a.Hits {
		if h.Memory.ID == idOf(2) && (h.Signals.Related != a.Hits[0].Relevance || h.Signals.BM25 != 0) {
			t.Errorf("signals are %+v", h.Signals)
		}
	}
	q.Explain = true
	for _, h := range f.search(q).Hits {
		if x := h.Explanation; (x.Via == hippo.ViaRelation) != (h.Memory.ID == idOf(2)) || (len(x.Features) == 0) != (x.Via != hippo.ViaText) {
			t.Errorf("%q is explained by %+v", h.Memory.Content, x)
		}
	}
	f.search(hippo.Query{Text: "gateway timeout"})
	if f.learned(1, 2) != 0 {
		t.Error("what a relation pulled in is learned")
	}
	f.wantOrder(hippo.Query{Text: "gateway timeout", NoTouch: true, Filter: hippo.Filter{Projects: []string{"x"}}})
	f.wantOrder(hippo.Query{Text: "gateway timeout", NoTouch: true, Relevance: &hippo.Range{Min: .99, Max: 1}})
	f.forget(idOf(2))
	f.wantOrder(q, "gateway timeout", "gateway here")
}

func TestRelate_HoldsForATime(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "gateway timeout"), turn(2, "", "raise the pool"))
	r := hippo.Relation{From: idOf(1), To: idOf(2), Kind: "then", Weight: 1, ValidUntil: f.now().AddDate(0, 0, 10)}
	if _, err := knowledge.Relate(t.Context(), f.Memories, []hippo.Relation{r}); err != nil {
		t.Fatal(err)
	}
	q := hippo.Query{Text: "gateway", NoTouch: true}
	f.wantOrder(q, "gateway timeout", "raise the pool")
	f.advance(10, 0)
	f.wantOrder(q, "gateway timeout")
	q.Filter.ValidAt = f.now().AddDate(0, 0, -1)
	f.wantOrder(q, "gateway timeout", "raise the pool")
}

func TestRelate_Refuses(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	f.put(turn(1, "", "one"), turn(2, "", "two"))
	r := func(from, to int, kind string) hippo.Relation {
		return hippo.Relation{From: idOf(from), To: idOf(to), Kind: kind, Weight: .5}
	}
	for name, tc := range map[string]struct {
		rs   []hippo.Relation
		want error
	}{
		"nothing":        {nil, hippo.ErrInvalid},
		"unknown":        {[]hippo.Relation{r(1, 2, "a"), r(1, 9, "a")}, hippo.ErrNotFound},
		"to itself":      {[]hippo.Relation{r(1, 1, "a")}, hippo.ErrInvalid},
		"a learned kind": {[]hippo.Relation{hippo.CoRecall(idOf(1), idOf(2))}, hippo.ErrInvalid},
		"one bad of two": {[]hippo.Relation{r(1, 2, "a"), r(1, 2, "")}, hippo.ErrInvalid},
		"too many":       {make([]hippo.Relation, hippo.MaxIDs+1), hippo.ErrInvalid},
		"weight above 1": {[]hippo.Relation{{From: idOf(1), To: idOf(2), Kind: "a", Weight: 7}}, hippo.ErrInvalid},
	} {
		if _, err := knowledge.Relate(t.Context(), f.Memories, tc.rs); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for r, err := range transfer.New(f.Memories).ExportRelations(t.Context()) {
		t.Errorf("%v was stored (%v)", r, err)
	}
	if err := knowledge.Unrelate(t.Context(), f.Memories, []hippo.Relation{r(1, 2, "a")}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("unrelate: %v", err)
	}
	f.relate(1, "a", 2, .5)
	if err := knowledge.Unrelate(t.Context(), f.Memories, []hippo.Relation{r(1, 2, "a")}); err != nil {
		t.Error(err)
	}
	if _, err := knowledge.RelationsOf(t.Context(), f.Memories, []hippo.ID{idOf(9)}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("relations of an unknown memory: %v", err)
	}
}

// relationReads counts the reads of relations.
type relationReads struct {
	driver.Backend
	reads int
}

func (c *relationReads) Relations(ctx context.Context, q driver.RelationQuery) ([]hippo.Relation, error) {
	c.reads++
	return c.Backend.Relations(ctx, q)
}

func TestRelate_ReadsOnceOrNever(t *testing.T) {
	t.Parallel()
	c := &relationReads{Backend: newPersistent()}
	f := open(t, options{backend: c, tokens: &embedtest.Tokens{}})
	f.put(turn(1, "", "red alpha"), turn(2, "", "red beta"), turn(3, "", "blue"))
	f.search(hippo.Query{Text: "red", NoTouch: true})
	if c.reads != 0 {
		t.Errorf("%d reads without relations", c.reads)
	}
	f.relate(1, "a", 3, .5)
	f.search(hippo.Query{Text: "red", NoTouch: true})
	if c.reads != 1 {
		t.Errorf("%d reads of a search", c.reads)
	}
}

// Whatever is related, in whatever way: what is pulled is behind what pulls it, no hit comes
// twice, counts agree, and no text rises by more than the bound.
func TestRelate_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f, plain := openReranking(rt), openReranking(rt)
		n := rapid.IntRange(2, 9).Draw(rt, "memories")
		for i := range n {
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"red", "green", "blue", "grey", "black"}), 1, 4).Draw(rt, "words")
			x := turn(i+1, "", fmt.Sprint(words))
			f.put(x)
			plain.put(x)
		}
		for range rapid.IntRange(0, 6).Draw(rt, "relations") {
			a, b := rapid.IntRange(1, n).Draw(rt, "a"), rapid.IntRange(1, n).Draw(rt, "b")
			if a != b {
				f.relate(a, "a", b, rapid.Float64Range(.01, 1).Draw(rt, "weight"))
			}
		}
		q := hippo.Query{Text: "red green", NoTouch: true, Detail: hippo.Detail{Each: true}}
		with, without := f.search(q), plain.search(q)
		if len(with.Hits) != with.Total || with.Distribution.Sum() != with.Total {
			rt.Fatalf("%d hits, total %d, distribution %v", len(with.Hits), with.Total, with.Distribution)
		}
		text := make(map[hippo.ID]float64)
		for _, h := range without.Hits {
			text[h.Memory.ID] = h.Signals.Text
		}
		best := 0.0 // of two as relevant, either may be first
		for _, h := range with.Hits {
			best = max(best, h.Signals.Text)
		}
		seen := make(map[hippo.ID]bool)
		for i, h := range with.Hits {
			before, matched := text[h.Memory.ID]
			bound := max(before+.05*(1-before), .6*best) + 1e-9
			if seen[h.Memory.ID] || i > 0 && h.Relevance > with.Hits[i-1].Relevance || h.Signals.Text > bound || matched && h.Signals.Text < before {
				rt.Fatalf("hit %d of %+v, was %v", i, with.Hits, before)
			}
			seen[h.Memory.ID] = true
		}
		for id := range text {
			if !seen[id] {
				rt.Fatalf("%v is no hit any more", id)
			}
		}
	})
}

func TestUnrelate_LeavesTheListOfTheCaller(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.put(turn(1, "", "one"), turn(2, "", "two"))
	first, second := idOf(1), idOf(2)
	if first.Compare(second) < 0 {
		first, second = second, first
	}
	list := []hippo.Relation{{From: first, To: second, Kind: hippo.CoRecalled}}
	if err := knowledge.Unrelate(t.Context(), f.Memories, list); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
	if list[0].From != first {
		t.Errorf("the list was changed to %+v", list)
	}
}
