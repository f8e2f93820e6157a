package index_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// mentioned is what is found about a text: the memories, in order, or many.
type mentioned struct {
	IDs  []hippo.ID
	Many bool
}

// graphReader is what a graph ranker asks of a result.
type graphReader interface {
	Mentions(text string, limit int) (docs []retrieve.Doc, more bool)
	Situated(element string, limit int) (docs []retrieve.Doc, more bool)
	Situation(doc retrieve.Doc) []string
}

func graphOf(r *retrieve.Result) graphReader { return r.Reader.(graphReader) } //nolint:errcheck // panics in a test

type ask func(g graphReader, text string, limit int) ([]retrieve.Doc, bool)

func mentions(x *index.Index, q query, how ask, most int, texts ...string) map[string]mentioned {
	out := make(map[string]mentioned)
	q.Text = "nothing at all"
	find(x, q, func(r *retrieve.Result) {
		for _, text := range texts {
			var m mentioned
			var docs []retrieve.Doc
			docs, m.Many = how(graphOf(r), text, most)
			for _, d := range docs {
				m.IDs = append(m.IDs, idOf(r, d))
			}
			slices.SortFunc(m.IDs, hippo.ID.Compare)
			out[text] = m
		}
	})
	return out
}

func numbered(numbers ...int) []hippo.ID {
	var out []hippo.ID
	for _, n := range numbers {
		out = append(out, id(n))
	}
	slices.SortFunc(out, hippo.ID.Compare)
	return out
}

func names() *source {
	s := newSource("s")
	s.put(
		note(1, "Ada Lovelace wrote parse_header"), note(2, "Lovelace, said Ada"), note(3, "Ada alone"),
		note(4, "the parse of a header"), note(5, "nobody", "with Ada Lovelace"),
	)
	m := note(6, "of another tenant: Ada Lovelace")
	m.Namespace = "other"
	s.put(m)
	return s
}

func TestMentions(t *testing.T) {
	t.Parallel()
	s := names()
	x := open(t, s, nil)
	want := map[string]mentioned{
		"ada lovelace": {IDs: numbered(1, 2, 5)}, // in whatever order and field
		"the ada":      {IDs: numbered(1, 2, 3, 5)},
		"parse_header": {IDs: numbered(1)}, // not its parts alone
		"lovelace's":   {IDs: numbered(1, 2, 5)},
		"ada unheard":  {},
		"of the":       {}, // stop words mention nothing
		"":             {},
		"?!":           {},
	}
	var texts []string
	for text := range want {
		texts = append(texts, text)
	}
	check := func(x *index.Index, when string) {
		t.Helper()
		if d := cmp.Diff(want, mentions(x, query{}, graphReader.Mentions, 4, texts...)); d != "" {
			t.Errorf("%s (-want +got):\n%s", when, d)
		}
	}
	check(x, "new")
	condense(t, x)
	check(x, "after a merge")
	s.put(note(7, "Ada Lovelace, for a while"), note(8, "Ada Lovelace, for a while"))
	catchUp(t, x)
	s.purge(id(7))
	m := s.get(id(8))
	m.Content = "someone else"
	s.put(m)
	catchUp(t, x)
	check(x, "after others have gone")
}

func TestMentions_by_more_than_asked_for(t *testing.T) {
	t.Parallel()
	s := names()
	x := open(t, s, nil)
	for most, want := range map[int]mentioned{0: {Many: true}, 2: {Many: true}, 3: {IDs: numbered(1, 2, 5)}} {
		got := mentions(x, query{}, graphReader.Mentions, most, "ada lovelace")["ada lovelace"]
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("at most %d (-want +got):\n%s", most, d)
		}
	}
}

// Only what the filters keep is counted: one tenant does not make common what is rare
// for another.
func TestMentions_within_filters(t *testing.T) {
	t.Parallel()
	x := open(t, names(), nil)
	for name, c := range map[string]struct {
		q    query
		want mentioned
	}{
		"other_namespace": {query{Scope: hippo.Scope{Namespace: "other"}}, mentioned{IDs: numbered(6)}},
		"unknown":         {query{Scope: hippo.Scope{Namespace: "unknown"}}, mentioned{}},
		"early":           {query{Filter: hippo.Filter{CreatedBefore: time.Unix(2, 0)}}, mentioned{IDs: numbered(1)}},
	} {
		got := mentions(x, c.q, graphReader.Mentions, 2, "ada lovelace")["ada lovelace"]
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestSituated(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(
		note(1, "a", "writing tests"), note(2, "b", "Writing Tests", "at work"), note(3, "c", "writing more tests"),
		note(4, "writing tests"), note(5, "e", "!!!"), note(6, "f", "!!!", "???"), note(7, "g", "tests writing"),
	)
	x := open(t, s, nil)
	want := map[string]mentioned{
		"writing tests": {IDs: numbered(1, 2)}, "at work": {IDs: numbered(2)}, "!!!": {IDs: numbered(5, 6)}, "unheard": {}, "work": {},
	}
	for _, when := range []string{"new", "merged"} {
		got := mentions(x, query{}, graphReader.Situated, 5, "writing tests", "at work", "!!!", "unheard", "work")
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", when, d)
		}
		condense(t, x)
	}
	find(x, query{}, func(r *retrieve.Result) {
		doc, ok := r.Reader.Find(id(2))
		if d := cmp.Diff([]string{"Writing Tests", "at work"}, graphOf(r).Situation(doc)); !ok || d != "" {
			t.Errorf("found %v, situation (-want +got):\n%s", ok, d)
		}
		if doc, ok = r.Reader.Find(id(4)); !ok || graphOf(r).Situation(doc) != nil {
			t.Errorf("found %v, with situation %v", ok, graphOf(r).Situation(doc))
		}
	})
}

func TestValid(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	m := note(1, "a fact")
	m.ValidFrom, m.ValidUntil = time.UnixMicro(5), time.UnixMicro(9)
	s.put(m, note(2, "another"))
	find(open(t, s, nil), query{}, func(r *retrieve.Result) {
		for n, want := range map[int][2]int64{1: {5, 9}, 2: {}} {
			doc, _ := r.Reader.Find(id(n))
			if d := r.Reader.Details(doc); d.ValidFrom != want[0] || d.ValidUntil != want[1] {
				t.Errorf("memory %d holds from %d until %d, want %v", n, d.ValidFrom, d.ValidUntil, want)
			}
		}
	})
}

// Mentions agrees with looking for the terms in each memory, whatever happened before.
func TestMentions_is_the_intersection(t *testing.T) {
	t.Parallel()
	a := bm25.Words()
	rapid.Check(t, func(r *rapid.T) {
		dir := t.TempDir()
		s := newSource("s")
		x, err := index.Open(t.Context(), s, &index.Options{Path: filepath.Join(dir, "i")})
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = x.Close() }()
		words := strings.Fields("a b c d e the")
		text := func(n int) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, n).Draw(r, "words"), " ")
		}
		live := make(map[int]string)
		for range rapid.IntRange(1, 4).Draw(r, "rounds") {
			for range rapid.IntRange(1, 30).Draw(r, "changes") {
				n := rapid.IntRange(1, 40).Draw(r, "memory")
				if _, ok := live[n]; ok && rapid.Bool().Draw(r, "purge") {
					s.purge(id(n))
					delete(live, n)
					continue
				}
				live[n] = text(6)
				s.put(note(n, live[n]))
			}
			if err := x.CatchUp(t.Context()); err != nil {
				r.Fatal(err)
			}
			if rapid.Bool().Draw(r, "merge") {
				if err := x.Save(t.Context()); err != nil {
					r.Fatal(err)
				}
			}
		}
		phrase, most := text(3), rapid.IntRange(0, 20).Draw(r, "most")
		want := intersection(a, live, phrase, most)
		if d := cmp.Diff(want, mentions(x, query{}, graphReader.Mentions, most, phrase)[phrase]); d != "" {
			r.Fatalf("%q among %v (-want +got):\n%s", phrase, live, d)
		}
	})
}

func intersection(a bm25.Analyzer, live map[int]string, query string, most int) mentioned {
	var m mentioned
	asked := 0
	for n, content := range live {
		all := true
		asked = 0
		a.Terms(query, func(b []byte) {
			if !a.Stop(string(b)) {
				asked++
				all = all && strings.Contains(fmt.Sprintf(" %s ", content), " "+string(b)+" ")
			}
		})
		if all && asked > 0 {
			m.IDs = append(m.IDs, id(n))
		}
	}
	if len(m.IDs) > most {
		return mentioned{Many: true}
	}
	slices.SortFunc(m.IDs, hippo.ID.Compare)
	return m
}

func BenchmarkMentions(b *testing.B) {
	s := newSource("s")
	const n = 20000
	for i := range n {
		s.put(note(i, fmt.Sprintf("every common%d rare%d", i%2, i%(n/10))))
	}
	x := open(b, s, nil)
	for name, text := range map[string]string{"rare": "every common1 rare7", "common": "every common1"} {
		b.Run(name, func(b *testing.B) {
			find(x, query{Text: "rare1"}, func(r *retrieve.Result) {
				for b.Loop() {
					graphOf(r).Mentions(text, 100)
				}
			})
		})
	}
}
