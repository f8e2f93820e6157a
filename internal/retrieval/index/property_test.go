package index_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// reference scores by the formula as it is written down, over plain maps.
type reference struct {
	analyzer bm25.Analyzer
	params   bm25.Params
	live     []*hippo.Memory
}

func (r reference) terms(s string) []string {
	var out []string
	r.analyzer.Terms(s, func(b []byte) { out = append(out, string(b)) })
	return out
}

func (r reference) fields(m *hippo.Memory) [bm25.NumFields][]string {
	var f [bm25.NumFields][]string
	f[bm25.Content] = r.terms(m.Content)
	for _, s := range m.Situation {
		f[bm25.Situation] = append(f[bm25.Situation], r.terms(s)...)
	}
	for _, s := range m.Tags {
		f[bm25.Tags] = append(f[bm25.Tags], r.terms(s)...)
	}
	return f
}

func count(list []string, term string) (n int) {
	for _, t := range list {
		if t == term {
			n++
		}
	}
	return n
}

// query returns the terms of a query that count.
func (r reference) query(text string) []string {
	var all, kept []string
	for _, t := range r.terms(text) {
		if slices.Contains(all, t) {
			continue
		}
		all = append(all, t)
		if !r.analyzer.Stop(t) {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return all
	}
	return kept
}

// score returns score, coverage and the bound, by memory; coverage 0: no match.
func (r reference) score(text string) (scores, coverage map[hippo.ID]float64, most float64) {
	scores, coverage = map[hippo.ID]float64{}, map[hippo.ID]float64{}
	docs := make([][bm25.NumFields][]string, len(r.live))
	var mean [bm25.NumFields]float64
	for i, m := range r.live {
		docs[i] = r.fields(m)
		for f := range mean {
			mean[f] += float64(len(docs[i][f]))
		}
	}
	for f := range mean {
		mean[f] /= float64(len(docs))
	}
	total := 0.0
	for _, t := range r.query(text) {
		df := 0
		for _, d := range docs {
			if count(slices.Concat(d[0], d[1], d[2]), t) > 0 {
				df++
			}
		}
		idf := math.Log(1 + (float64(len(docs)-max(df, 1))+.5)/(float64(max(df, 1))+.5))
		total += idf
		most += idf * (r.params.K1 + 1)
		for i, d := range docs {
			tf := 0.0
			for f := range mean {
				if n := count(d[f], t); n > 0 {
					b := r.params.B[f]
					tf += r.params.Weight[f] * float64(n) / (1 - b + b*float64(len(d[f]))/mean[f])
				}
			}
			if tf > 0 {
				scores[r.live[i].ID] += idf * (tf * (r.params.K1 + 1) / (tf + r.params.K1))
				coverage[r.live[i].ID] += idf
			}
		}
	}
	for k := range coverage {
		coverage[k] /= total
	}
	return scores, coverage, most
}

// world drives a source and an index at random.
type world struct {
	src  *source
	x    *index.Index
	opts *index.Options
	day  hippo.Day
}

func words(t *rapid.T, label string, most int) string {
	vocabulary := []string{
		"the", "cache", "Caches", "deploy", "HTTPServer", "snake_case", "naïve", "東京都", "error", "flaky", "of", "db", "🙂", "x-ray",
		"nicht", "Häuser", "Haus", "während",
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, most).Draw(t, label), " ")
}

func someID(t *rapid.T) int { return rapid.IntRange(1, 12).Draw(t, "id") }

func (w *world) memory(t *rapid.T) *hippo.Memory {
	m := note(someID(t), words(t, "content", 12))
	for range rapid.IntRange(0, 2).Draw(t, "situations") {
		m.Situation = append(m.Situation, words(t, "situation", 3))
	}
	m.Tags = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"go", "Cache", "ci-cd"}), 0, 2, rapid.ID).Draw(t, "tags")
	m.Project = rapid.SampledFrom([]string{"", "p", "q"}).Draw(t, "project")
	m.Pinned = rapid.Bool().Draw(t, "pinned")
	m.Importance = hippo.Importance{Value: rapid.Float64Range(0, 1).Draw(t, "importance"), SetDay: w.day}
	m.Touch(w.day, 1)
	if rapid.Bool().Draw(t, "valid") {
		m.ValidFrom = time.UnixMicro(5).UTC()
	}
	if rapid.IntRange(0, 3).Draw(t, "superseded") == 0 {
		m.SupersededBy = id(someID(t))
	}
	return m
}

func (w *world) change(t *rapid.T, f func(*hippo.Memory)) {
	if m := w.src.get(id(someID(t))); m != nil {
		f(m)
		w.src.put(m)
	}
}

func TestIndex_equals_fresh_build_and_formula(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		w := &world{src: newSource("s"), day: 1, opts: &index.Options{Path: filepath.Join(dir, fmt.Sprint(n)), Tokens: hashed("a"), Models: []modelof.Model{whole, few}}}
		w.open(t)
		defer func() { _ = w.x.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) { w.src.put(w.memory(t)) },
			"use": func(t *rapid.T) {
				w.day++
				w.change(t, func(m *hippo.Memory) { m.Touch(w.day, 2); m.Importance.Value = .5 })
			},
			"supersede": func(t *rapid.T) {
				by := rapid.SampledFrom([]hippo.ID{{}, id(someID(t))}).Draw(t, "by")
				w.change(t, func(m *hippo.Memory) { m.SupersededBy = by })
			},
			"forget":  func(t *rapid.T) { w.change(t, func(m *hippo.Memory) { m.ForgottenAt = time.UnixMicro(1) }) },
			"restore": func(t *rapid.T) { w.change(t, func(m *hippo.Memory) { m.ForgottenAt = time.Time{} }) },
			"purge":   func(t *rapid.T) { w.src.purge(id(someID(t))) },
			"touch": func(t *rapid.T) { // the store hears of it later
				i := id(someID(t))
				w.x.Touch([]hippo.ID{i}, w.day)
				w.must(t, w.x.Settle(context.Background(), w.day, map[hippo.ID]int{i: 1}, func() error {
					w.src.touch(w.day, i)
					return nil
				}))
			},
			"embed": func(t *rapid.T) {
				w.must(t, w.x.CatchUp(t.Context()))
				embed(w.src, w.x, few, rapid.IntRange(1, 5).Draw(t, "embed"))
			},
			"catch_up": func(t *rapid.T) { w.must(t, w.x.CatchUp(t.Context())) },
			"save":     func(t *rapid.T) { w.must(t, w.x.Save(t.Context())) },
			"reopen": func(t *rapid.T) {
				w.must(t, w.x.Close())
				w.open(t)
			},
			"crash": func(t *rapid.T) { w.open(t) },
			"recut": func(t *rapid.T) { // with another table, or none
				w.must(t, w.x.Close())
				w.opts.Tokens = rapid.SampledFrom([]modelof.TokenEmbedder{nil, hashed("a"), hashed("b")}).Draw(t, "table")
				w.open(t)
			},
			"": w.check,
		})
	})
}

func (w *world) must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) open(t *rapid.T) {
	x, err := index.Open(t.Context(), w.src, w.opts)
	w.must(t, err)
	w.x = x
	w.must(t, x.CatchUp(t.Context()))
}

func (w *world) check(t *rapid.T) {
	w.must(t, w.x.CatchUp(t.Context()))
	fresh, err := index.Open(t.Context(), w.src, &index.Options{Tokens: w.opts.Tokens, Models: []modelof.Model{whole}})
	w.must(t, err)
	defer fresh.Close() //nolint:errcheck // nothing to save
	w.must(t, fresh.CatchUp(t.Context()))
	embed(w.src, w.x, whole, 100)
	embed(w.src, fresh, whole, 100)
	w.partial(t)
	w.documents(t)
	if d := difference(successors(fresh), successors(w.x)); d != "" {
		t.Fatalf("successors differ from a fresh build (-fresh +index):\n%s", d)
	}
	ref := reference{bm25.Words(), bm25.DefaultParams(), w.src.live()}
	for _, q := range []query{
		{},
		{Text: "the cache of errors"},
		{Text: "deploy http 東京 case flaky 🙂 unknown"},
		{Text: "ca", Substring: true},
		{Text: "the"},
		{Text: "cache", Situation: []string{"flaky error", "the db"}},
		{Text: "deploy", Vector: vectorOf("deploy", whole), Model: whole.ID, Nearest: 3},
		{Text: "the", Vector: vectorOf("x", whole), Model: whole.ID, Nearest: 2, Situation: []string{"flaky", "cache"}},
		{Text: "die Häuser nicht"},
		{Text: "cach deplyo httpservre http server snake_cas"},
		{Text: "nothing", Vector: vectorOf("y", whole), Model: whole.ID, Nearest: 100, MinCosine: .1, Filter: hippo.Filter{Projects: []string{"p"}}},
		{Filter: hippo.Filter{Projects: []string{"", "q"}, Pinned: true, Moment: hippo.Moment{ValidAt: time.UnixMicro(4)}}},
	} {
		got, most := search(w.x, q)
		want, wantMost := search(fresh, q)
		if d := difference(want, got); d != "" || most != wantMost {
			t.Fatalf("query %+v differs from a fresh build (-fresh +index), bound %v, %v:\n%s", q, wantMost, most, d)
		}
		if literal := !strings.HasPrefix(q.Text, "cach ") && !strings.Contains(q.Text, "Häuser"); literal && q.Text != "" && q.Situation == nil && !q.Substring && q.Vector == nil {
			ref.compare(t, q.Text, got, most)
		}
	}
}

// difference is cmp.Diff for values that are usually equal: reflect.DeepEqual finds that
// in a fraction of the time.
func difference[T any](want, got T) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// successors returns what supersedes each memory.
func successors(x *index.Index) map[hippo.ID]hippo.ID {
	out := make(map[hippo.ID]hippo.ID)
	find(x, query{}, func(r *retrieve.Result) {
		for _, m := range r.Matches {
			if d, ok := r.Reader.Successor(m.Doc); ok {
				out[idOf(r, m.Doc)] = idOf(r, d)
			}
		}
	})
	return out
}

func (r reference) compare(t *rapid.T, text string, got []found, most float64) {
	scores, coverage, wantMost := r.score(text)
	s, c := map[hippo.ID]float64{}, map[hippo.ID]float64{}
	for _, f := range got {
		s[f.ID], c[f.ID] = f.Score, f.Coverage
	}
	near := cmpopts.EquateApprox(1e-12, 1e-12)
	if d := cmp.Diff([]any{scores, coverage, wantMost}, []any{s, c, most}, near); d != "" && len(r.live) > 0 {
		t.Fatalf("query %q differs from the formula (-formula +index):\n%s", text, d)
	}
}
