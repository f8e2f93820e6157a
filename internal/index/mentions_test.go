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
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// mentioned is what a View says about a text: the memories, in order, or many.
type mentioned struct {
	IDs  []hippo.ID
	Many bool
}

type ask func(v *index.View, text string, most int) ([]uint32, bool)

func mentions(x *index.Index, f hippo.Filter, how ask, most int, texts ...string) map[string]mentioned {
	out := make(map[string]mentioned)
	x.View(func(v *index.View) {
		v.Search(index.Query{Text: "nothing at all", Filter: f})
		for _, text := range texts {
			var m mentioned
			var docs []uint32
			docs, m.Many = how(v, text, most)
			for _, d := range docs {
				m.IDs = append(m.IDs, v.Row(d).ID)
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
		"of the":       {}, // function words mention nothing
		"":             {},
		"?!":           {},
	}
	var texts []string
	for text := range want {
		texts = append(texts, text)
	}
	check := func(x *index.Index, when string) {
		t.Helper()
		if d := cmp.Diff(want, mentions(x, hippo.Filter{}, (*index.View).Mentions, 4, texts...)); d != "" {
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
		got := mentions(x, hippo.Filter{}, (*index.View).Mentions, most, "ada lovelace")["ada lovelace"]
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
		f    hippo.Filter
		want mentioned
	}{
		"other_namespace": {hippo.Filter{Namespace: "other"}, mentioned{IDs: numbered(6)}},
		"unknown":         {hippo.Filter{Namespace: "unknown"}, mentioned{}},
		"early":           {hippo.Filter{CreatedBefore: time.Unix(2, 0)}, mentioned{IDs: numbered(1)}},
	} {
		got := mentions(x, c.f, (*index.View).Mentions, 2, "ada lovelace")["ada lovelace"]
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
		got := mentions(x, hippo.Filter{}, (*index.View).Situated, 5, "writing tests", "at work", "!!!", "unheard", "work")
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", when, d)
		}
		condense(t, x)
	}
	x.View(func(v *index.View) {
		doc, ok := v.Find(id(2))
		if d := cmp.Diff([]string{"Writing Tests", "at work"}, v.Situation(doc)); !ok || d != "" {
			t.Errorf("found %v, situation (-want +got):\n%s", ok, d)
		}
		if doc, ok = v.Find(id(4)); !ok || v.Situation(doc) != nil {
			t.Errorf("found %v, with situation %v", ok, v.Situation(doc))
		}
		if _, ok = v.Find(id(99)); ok {
			t.Error("found what is not there")
		}
	})
}

func TestValid(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	m := note(1, "a fact")
	m.ValidFrom, m.ValidUntil = time.UnixMicro(5), time.UnixMicro(9)
	s.put(m, note(2, "another"))
	open(t, s, nil).View(func(v *index.View) {
		for n, want := range map[int][2]int64{1: {5, 9}, 2: {}} {
			doc, _ := v.Find(id(n))
			if from, until := v.Valid(doc); from != want[0] || until != want[1] {
				t.Errorf("memory %d holds from %d until %d, want %v", n, from, until, want)
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
		x, err := index.Open(t.Context(), s, &index.Options{SnapshotPath: filepath.Join(dir, "i")})
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
		query, most := text(3), rapid.IntRange(0, 20).Draw(r, "most")
		want := intersection(a, live, query, most)
		if d := cmp.Diff(want, mentions(x, hippo.Filter{}, (*index.View).Mentions, most, query)[query]); d != "" {
			r.Fatalf("%q among %v (-want +got):\n%s", query, live, d)
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
			x.View(func(v *index.View) {
				v.Search(index.Query{Text: "rare1"})
				for b.Loop() {
					v.Mentions(text, 100)
				}
			})
		})
	}
}
