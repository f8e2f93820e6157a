package index_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// within is all that a search in a scope returns, and what the index says of the scope.
type within struct {
	Found    []found
	Most     float64
	Best     float64
	Counts   retrieve.Counts
	Words    map[string][2]any
	Live     [2]int
	Digits   []int
	Projects []string
	Same     map[hippo.ID]int
	Names    map[hippo.ID][]hippo.ID
	Nearest  map[hippo.ID][]float64
	Earlier  map[hippo.ID][]float64
}

// spread is compared apart: a sum over several segments has its last digit from them.
func withinScope(x *index.Index, q query) (w within, spread retrieve.Spread) {
	w.Found, w.Most = search(x, q)
	w.Words, w.Same, w.Names = make(map[string][2]any), make(map[hippo.ID]int), make(map[hippo.ID][]hippo.ID)
	var ids []hippo.ID
	find(x, q, func(r *retrieve.Result) {
		w.Best, w.Counts, spread = r.BestScore, r.Counts, r.Spreads[retrieve.Semantic]
		for _, word := range []string{"cache", "deploy", "cach", "nothing", "haus"} {
			w.Words[word] = [2]any{r.Vocabulary.IDF(word), []bool{r.Vocabulary.Unknown(word), r.Vocabulary.Misspelt(word)}}
		}
		for _, m := range r.Matches {
			id := idOf(r, m.Doc)
			ids = append(ids, id)
			if d, ok := r.Reader.Find(id); ok {
				w.Same[idOf(r, d)]++
			}
			p := r.Reader.Passage(m.Doc)
			for _, d := range []retrieve.Doc{p.Before, p.After} {
				if d != retrieve.None {
					w.Names[id] = append(w.Names[id], idOf(r, d))
				}
			}
		}
	})
	slices.SortFunc(ids, hippo.ID.Compare)
	live, forgotten := x.Count(&q.Scope)
	w.Live, w.Digits, w.Projects = [2]int{live, forgotten}, x.Distinguish(&q.Scope, ids), x.Projects(&q.Scope)
	if q.Scope.Projects == nil {
		w.Nearest, w.Earlier = x.Vectors.Nearest(few.ID, ids, 3), x.Vectors.Earlier(few.ID, ids, 3)
	}
	return w, spread
}

// A search in a namespace or in some projects of it finds what it finds in an index that has nothing else, to the last bit: whatever
// lies between the memories of the scope, and in whatever order vectors came.
func TestSearch_among_other_namespaces(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		w := &world{src: newSource("s"), day: 1, opts: &index.Options{Path: filepath.Join(dir, fmt.Sprint(n)), Tokens: hashed("a"), Models: []modelof.Model{whole, few}}}
		w.open(t)
		defer func() { _ = w.x.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(t, "memories") {
					m := w.memory(t)
					m.ID = id(rapid.IntRange(1, 60).Draw(t, "id"))
					m.Namespace = rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "namespace")
					m.Source.Session = rapid.SampledFrom([]string{"", "s"}).Draw(t, "session")
					w.src.put(m)
				}
			},
			"purge": func(*rapid.T) { w.src.purge(id(rapid.IntRange(1, 60).Draw(t, "id"))) },
			"forget": func(t *rapid.T) {
				if m := w.src.get(id(rapid.IntRange(1, 60).Draw(t, "id"))); m != nil {
					m.ForgottenAt = time.UnixMicro(1)
					w.src.put(m)
				}
			},
			"embed": func(t *rapid.T) {
				w.must(t, w.x.CatchUp(t.Context()))
				embed(w.src, w.x, few, rapid.IntRange(1, 20).Draw(t, "embed"))
			},
			"embed_again": func(t *rapid.T) { // as another process does at the same time
				w.must(t, w.x.CatchUp(t.Context()))
				if m := w.src.get(id(rapid.IntRange(1, 60).Draw(t, "id"))); m != nil {
					w.x.Vectors.Set(few.ID, []index.Vector{{ID: m.ID, Text: index.TextKey(m), Values: vectorOf(m.Content, few)}})
				}
			},
			"save": func(t *rapid.T) { w.must(t, w.x.Save(t.Context())) },
			"reopen": func(t *rapid.T) {
				w.must(t, w.x.Close())
				w.open(t)
			},
		})
		w.alone(t)
	})
}

// alone compares the index with others that hold one scope each.
func (w *world) alone(t *rapid.T) {
	w.must(t, w.x.CatchUp(t.Context()))
	embed(w.src, w.x, few, 100)
	for _, scope := range []hippo.Scope{{}, {Namespace: "a"}, {Namespace: "b", Projects: []string{"p", ""}}, {Namespace: "c", Projects: []string{"q"}}, {Namespace: "none"}} {
		src := newSource("s")
		for _, id := range slices.SortedFunc(maps.Keys(w.src.changes), hippo.ID.Compare) {
			if m := w.src.get(id); m != nil && scope.Contains(m.Namespace, m.Project) {
				src.put(m)
			}
		}
		x, err := index.Open(t.Context(), src, &index.Options{Tokens: w.opts.Tokens, Models: w.opts.Models})
		w.must(t, err)
		w.must(t, x.CatchUp(t.Context()))
		embed(src, x, few, 100)
		for _, q := range []query{
			{},
			{Text: "cach deplyo http server nothing"},
			{Text: "ca", Substring: true},
			{Text: "die Häuser", Situation: []string{"flaky error", "the db"}},
			{Text: "the cache of errors", Vector: vectorOf("x", few), Model: few.ID, Nearest: 3, MinCosine: -1},
			{Text: "nothing", Vector: vectorOf("y", few), Model: few.ID, Nearest: 100, Filter: hippo.Filter{Tags: []string{"go"}}},
		} {
			q.Scope = scope
			got, spread := withinScope(w.x, q)
			want, wantSpread := withinScope(x, q)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("scope %+v, query %+v differs (-alone +among others):\n%s", scope, q, cmp.Diff(want, got))
			}
			if spread.Count != wantSpread.Count || math.Abs(spread.Mean-wantSpread.Mean) > 1e-12 || math.Abs(spread.Deviation-wantSpread.Deviation) > 1e-6 {
				t.Fatalf("scope %+v, query %+v: cosines of %+v, alone %+v", scope, q, spread, wantSpread)
			}
		}
		w.must(t, x.Close())
	}
}
