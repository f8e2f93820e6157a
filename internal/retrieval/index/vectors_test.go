package index_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/models"
)

// whole has embedded everything before a test looks, few only some.
var (
	whole = modelof.Model{ID: "whole@1", Space: "w", Dimension: 40}
	few   = modelof.Model{ID: "few@1", Space: "f", Dimension: 3}
)

// vectorOf is what a model makes of a text: random, and the same each time.
func vectorOf(text string, m modelof.Model) []float32 {
	h := fnv.New64a()
	h.Write([]byte(m.ID + text))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v, sum := make([]float32, m.Dimension), 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// embed gives up to n memories a vector, and returns how many it offered.
func embed(s *source, x *index.Index, m modelof.Model, n int) int {
	var list []index.Vector
	for _, id := range x.Vectors.Unembedded(m.ID, n) {
		if memory := s.get(id); memory != nil {
			list = append(list, index.Vector{ID: id, Text: index.TextKey(memory), Values: vectorOf(memory.Content, m)})
		}
	}
	x.Vectors.Set(m.ID, list)
	return len(list)
}

// partial checks the model that has embedded only some: each memory has its own
// vector or none.
func (w *world) partial(t *rapid.T) {
	q := vectorOf("query", few)
	got, _ := search(w.x, query{Text: "unknown", Vector: q, Model: few.ID, Nearest: 100, MinCosine: -1})
	have, all := w.x.Vectors.Embedded(nil, few.ID)
	if missing := len(w.x.Vectors.Unembedded(few.ID, 1000)); all-have != missing || len(got) != have {
		t.Fatalf("%d of %d have a vector, %d have none, a search found %d", have, all, missing, len(got))
	}
	for _, f := range got {
		want := 0.0
		for i, x := range vectorOf(w.src.get(f.ID).Content, few) {
			want += float64(x) * float64(q[i])
		}
		if math.Abs(f.Exact-max(0, want)) > 1e-4 || math.Abs(f.Cosine-max(0, want)) > .03 {
			t.Fatalf("memory %v: cosine %v, exactly %v, want %v", f.ID, f.Cosine, f.Exact, want)
		}
	}
}

// A model that embeds the word pieces of the index gives the vectors that it gives without them.
func TestVectors_of_word_pieces(t *testing.T) {
	t.Parallel()
	m, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	s := newSource("s")
	for n := range 50 {
		s.put(note(n, fmt.Sprintf("note %d of the ferry, which leaves at %d o'clock", n, n%24), "at the harbour"))
	}
	q, err := m.Embed(t.Context(), modelof.Query, []string{"when does the ship go"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(o *index.Options) map[hippo.ID]float64 {
		o.Models, o.Instant = []modelof.Model{m.Model()}, m
		list, _ := search(open(t, s, o), query{Text: "unknown", Vector: q[0], Model: m.Model().ID, Nearest: 100, MinCosine: -1})
		out := make(map[hippo.ID]float64)
		for _, f := range list {
			out[f.ID] = f.Exact
		}
		return out
	}
	want := ask(&index.Options{})
	if got := ask(&index.Options{Tokens: m}); len(want) != 50 || !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Vectors of a text that has changed meanwhile, of unknown memories and of other
// dimensions are left out.
func TestVectors_stale(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "old text"), note(2, "other"))
	x := open(t, s, &index.Options{Models: []modelof.Model{whole}})
	before := index.TextKey(s.get(id(1)))
	s.put(note(1, "new text"))
	if err := x.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := vectorOf("old text", whole)
	taken := x.Vectors.Set(whole.ID, []index.Vector{
		{ID: id(1), Text: before, Values: v},
		{ID: id(9), Text: before, Values: v},
		{ID: id(2), Text: index.TextKey(s.get(id(2))), Values: v[:3]},
	})
	if have, all := x.Vectors.Embedded(nil, whole.ID); taken != 0 || have != 0 || all != 2 {
		t.Errorf("took %d, have %d of %d; want none of 2", taken, have, all)
	}
	if n := x.Vectors.Set("unknown", []index.Vector{{ID: id(1), Text: before, Values: v}}); n != 0 {
		t.Errorf("an unknown model took %d vectors", n)
	}
	want, got := []hippo.ID{id(1), id(2)}, x.Vectors.Unembedded(whole.ID, 10)
	slices.SortFunc(want, hippo.ID.Compare)
	slices.SortFunc(got, hippo.ID.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The file keeps the vectors of every model; those of models that are not wanted
// any more go.
func TestFile_vectors(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n := range 3000 {
		s.put(note(n, "text "+string(rune('a'+n%26))))
	}
	o := &index.Options{Path: filepath.Join(t.TempDir(), "index"), Models: []modelof.Model{whole, few}}
	x := open(t, s, o)
	embed(s, x, whole, 3000)
	embed(s, x, few, 1000)
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	embed(s, x, few, 500) // after the save: on the heap, beside the mapped rows
	q := query{Text: "b", Vector: vectorOf("q", few), Model: few.ID, Nearest: 10}
	want, _ := search(x, q)
	if have, _ := x.Vectors.Embedded(nil, few.ID); have != 1500 {
		t.Errorf("have %d vectors, want 1500", have)
	}
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Models = []modelof.Model{few, whole}
	y := open(t, s, o)
	if have, all := y.Vectors.Embedded(nil, few.ID); have != 1500 || all != 3000 {
		t.Errorf("the file has %d of %d vectors, want 1500 of 3000", have, all)
	}
	got, _ := search(y, q)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the file answers otherwise (-before +after):\n%s", d)
	}
	o.Models = []modelof.Model{few}
	y = open(t, s, o)
	if have, _ := y.Vectors.Embedded(nil, whole.ID); have != 0 {
		t.Errorf("an unwanted model still has %d vectors", have)
	}
}

// Situation elements match semantically, above .4 and at most .9.
func TestElements(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n, e := range []string{"fixing bugs", "debugging", "cooking dinner", "bugs"} {
		m := note(n, "text")
		m.Situation = []string{e}
		s.put(m)
	}
	x := open(t, s, nil)
	vectors := map[string][]float32{"fixing bugs": {1, 0}, "debugging": {.8, .6}, "cooking dinner": {0, 1}, "bugs": {.6, .8}, "repair": {1, 0}}
	q := query{Situation: []string{"repair"}}
	if got := ids(x, q); len(got) != 0 {
		t.Errorf("without meaning: got %v, want none", got)
	}
	texts := x.Vectors.UnembeddedElements("m", 10)
	slices.Sort(texts)
	if want := []string{"bugs", "cooking dinner", "debugging", "fixing bugs"}; !slices.Equal(texts, want) {
		t.Fatalf("got elements %q, want %q", texts, want)
	}
	var list []index.Element
	for _, text := range texts {
		list = append(list, index.Element{Text: text, Values: vectors[text]})
	}
	x.Vectors.SetElements("m", list)
	if more := x.Vectors.UnembeddedElements("m", 10); len(more) != 0 {
		t.Errorf("still without meaning: %q", more)
	}
	q.Elements, q.ElementModel = [][]float32{vectors["repair"]}, "m"
	found, _ := search(x, q)
	var contexts []float64
	for _, f := range found {
		contexts = append(contexts, math.Round(f.Context*100)/100)
	}
	if want := []float64{.9, .8, .6}; !slices.Equal(contexts, want) {
		t.Errorf("got contexts %v, want %v", contexts, want)
	}
}
