package index_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

func rarities(x *index.Index, words ...string) map[string]float64 {
	out := make(map[string]float64)
	x.View(func(v *index.View) {
		v.Search(index.Query{})
		for _, w := range words {
			out[w] = v.Rarity(w)
		}
	})
	return out
}

func TestRarity(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(
		note(1, "cache cache cache"), note(2, "caches of the server"), note(3, "the thing"),
		note(4, "plain", "cache warm"), note(5, "HTTPServer"),
	)
	x := open(t, s, nil)
	idf := func(df int) float64 { return bm25.IDF(5, df) }
	want := map[string]float64{
		"cache":      idf(3), // in a situation, too, and however often in one memory
		"Caches":     idf(3),
		"the":        idf(2),
		"thing":      idf(1),
		"unheard":    idf(1), // as if one memory had it
		"HTTPServer": idf(1), // the whole is rarer than its part "server"
		"server":     idf(2),
		"":           0,
		"?!":         0,
	}
	var words []string
	for w := range want {
		words = append(words, w)
	}
	if d := cmp.Diff(want, rarities(x, words...)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	condense(t, x)
	if d := cmp.Diff(want, rarities(x, words...)); d != "" {
		t.Errorf("after a merge (-want +got):\n%s", d)
	}
}

func TestRarity_of_an_empty_index_is_a_number(t *testing.T) {
	t.Parallel()
	x := open(t, newSource("s"), nil)
	if r := rarities(x, "cache")["cache"]; math.IsNaN(r) || math.IsInf(r, 0) || r < 0 {
		t.Errorf("got %v", r)
	}
}

// Equal live memories give equal numbers, whatever happened before.
func TestRarity_ignores_what_is_gone(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n := range 8 {
		s.put(note(n, fmt.Sprintf("cache number%d", n)))
	}
	x := open(t, s, nil)
	s.purge(id(0), id(1), id(2))
	m := s.get(id(3))
	m.Content = "something else"
	s.put(m)
	catchUp(t, x)
	fresh := open(t, s, nil)
	if d := cmp.Diff(rarities(fresh, "cache", "number0", "number4", "else"), rarities(x, "cache", "number0", "number4", "else")); d != "" {
		t.Errorf("it differs from a fresh build (-fresh +index):\n%s", d)
	}
}

func TestLength(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one two three four", "not counted"), note(2, "one, two!"), note(3, "gone with many many words"))
	m := s.get(id(1))
	m.Source.Author = "Ann"
	s.put(m)
	x := open(t, s, nil)
	s.purge(id(3))
	catchUp(t, x)
	x.View(func(v *index.View) {
		if got := v.MeanLength(); got != 3 {
			t.Errorf("mean length %v, want 3", got)
		}
		for _, f := range v.Search(index.Query{}).Matches {
			row := v.Row(f.Doc)
			length, author := 2, ""
			if row.ID == id(1) {
				length, author = 4, "Ann"
			}
			if got := v.Length(f.Doc); got != length {
				t.Errorf("%v has length %d, want %d", row.ID, got, length)
			}
			if got := v.Author(f.Doc); got != author {
				t.Errorf("%v is by %q, want %q", row.ID, got, author)
			}
			if got, want := v.Text(f.Doc), index.TextOf(s.get(row.ID)); got != want {
				t.Errorf("%v has text %x, want %x", row.ID, got, want)
			}
		}
	})
	empty := open(t, newSource("s"), nil)
	empty.View(func(v *index.View) {
		if got := v.MeanLength(); got != 0 {
			t.Errorf("mean length of nothing is %v", got)
		}
	})
}

func TestText_follows_changes(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"))
	x := open(t, s, nil)
	m := s.get(id(1))
	m.Content = "two"
	s.put(m)
	catchUp(t, x)
	x.View(func(v *index.View) {
		if got := v.Text(v.Search(index.Query{}).Matches[0].Doc); got != index.TextOf(m) {
			t.Errorf("got %x, want %x", got, index.TextOf(m))
		}
	})
}

// admitted returns which of the notes of s pass the filters of a query, asked of all
// documents. There must be a document of each note.
func admitted(x *index.Index, q index.Query) map[hippo.ID]bool {
	out := make(map[hippo.ID]bool)
	x.View(func(v *index.View) {
		var docs []uint32
		for _, m := range v.Search(index.Query{}).Matches {
			docs = append(docs, m.Doc)
		}
		v.Search(q)
		for _, d := range docs {
			out[v.Row(d).ID] = v.Admits(d)
		}
	})
	return out
}

func TestAdmits_is_what_an_empty_text_finds(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n, f := range []func(*hippo.Memory){
		func(*hippo.Memory) {},
		func(m *hippo.Memory) { m.Project, m.Tags = "p", []string{"a"} },
		func(m *hippo.Memory) { m.Situation = []string{"debugging the cache"} },
		func(m *hippo.Memory) { m.Situation, m.Project = []string{"cache"}, "p" },
		func(m *hippo.Memory) { m.Source.Author, m.Source.Session = "Ann", "s1" },
		func(m *hippo.Memory) { m.Trust, m.Pinned = hippo.TrustHigh, true },
		func(m *hippo.Memory) { m.ValidUntil = time.UnixMicro(100).UTC() },
	} {
		m := note(n, fmt.Sprintf("word%d", n))
		f(m)
		s.put(m)
	}
	x := open(t, s, nil)
	s.put(note(20, "late", "cache"))
	catchUp(t, x)
	check := func(t *testing.T, q index.Query) {
		t.Helper()
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("panic: %v", r)
			}
		}()
		all := q
		all.Text = ""
		want := make(map[hippo.ID]bool)
		for _, m := range s.live() {
			want[m.ID] = false
		}
		list, _ := search(x, all)
		for _, f := range list {
			want[f.ID] = true
		}
		if d := cmp.Diff(want, admitted(x, q)); d != "" {
			t.Errorf("text %q (-want +got):\n%s", q.Text, d)
		}
	}
	for name, q := range map[string]index.Query{
		"nothing":         {},
		"project":         {Filter: hippo.Filter{Projects: []string{"p"}}},
		"situation":       {Situation: []string{"cache"}},
		"both":            {Situation: []string{"cache"}, Filter: hippo.Filter{Projects: []string{""}}},
		"author":          {Filter: hippo.Filter{Author: "Ann"}},
		"trust":           {Filter: hippo.Filter{MinTrust: hippo.TrustHigh}},
		"tag":             {Filter: hippo.Filter{Tags: []string{"a"}}},
		"valid":           {Filter: hippo.Filter{ValidAt: time.UnixMicro(100)}},
		"no_situation":    {Situation: []string{"gardening"}},
		"unknown_author":  {Filter: hippo.Filter{Author: "Nobody"}},
		"unknown_project": {Filter: hippo.Filter{Projects: []string{"nowhere"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{"", "word1", "unheard"} {
				q.Text = text
				check(t, q)
			}
		})
	}
}

func TestAdmits_nothing_dead(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"), note(2, "two"))
	x := open(t, s, nil)
	var doc uint32
	x.View(func(v *index.View) {
		for _, m := range v.Search(index.Query{Text: "one"}).Matches {
			doc = m.Doc
		}
	})
	s.purge(id(1))
	catchUp(t, x)
	x.View(func(v *index.View) {
		v.Search(index.Query{})
		if v.Admits(doc) {
			t.Error("a purged memory is admitted")
		}
	})
}
