package index_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

func idfs(x *index.Index, scope hippo.Scope, words ...string) map[string]float64 {
	out := make(map[string]float64)
	find(x, query{Scope: scope}, func(r *retrieve.Result) {
		for _, w := range words {
			out[w] = r.Vocabulary.IDF(w)
		}
	})
	return out
}

func TestIDF(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(
		note(1, "cache cache cache"), note(2, "caches of the server"), note(3, "the thing"),
		note(4, "plain", "cache warm"), note(5, "HTTPServer"),
	)
	x := open(t, s, nil)
	idf := func(df int) float64 { return bm25.IDF(5, df) }
	want := map[string]float64{
		"cache":      idf(3), // also in a situation, and however often in one memory
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
	if d := cmp.Diff(want, idfs(x, hippo.Scope{}, words...)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	condense(t, x)
	if d := cmp.Diff(want, idfs(x, hippo.Scope{}, words...)); d != "" {
		t.Errorf("after a merge (-want +got):\n%s", d)
	}
}

func TestIDF_of_an_empty_index_is_a_number(t *testing.T) {
	t.Parallel()
	x := open(t, newSource("s"), nil)
	if r := idfs(x, hippo.Scope{}, "cache")["cache"]; math.IsNaN(r) || math.IsInf(r, 0) || r < 0 {
		t.Errorf("got %v", r)
	}
}

// Equal live memories give equal numbers, whatever happened before.
func TestIDF_ignores_what_is_gone(t *testing.T) {
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
	if d := cmp.Diff(idfs(fresh, hippo.Scope{}, "cache", "number0", "number4", "else"), idfs(x, hippo.Scope{}, "cache", "number0", "number4", "else")); d != "" {
		t.Errorf("it differs from a fresh build (-fresh +index):\n%s", d)
	}
}

func TestSearch_reads_documents(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one two three four", "not counted"), note(2, "one, two!"), note(3, "gone with many many words"))
	m := s.get(id(1))
	m.Source.Author = "Ann"
	s.put(m)
	x := open(t, s, nil)
	s.purge(id(3))
	m.Content = "one two three changed"
	s.put(m)
	catchUp(t, x)
	list, _ := search(x, query{})
	for _, f := range list {
		length, author := 2, ""
		if f.ID == id(1) {
			length, author = 4, "Ann"
		}
		if f.Row.Length != length || f.Author != author {
			t.Errorf("%v has length %d and author %q, want %d and %q", f.ID, f.Row.Length, f.Author, length, author)
		}
	}
	find(x, query{}, func(r *retrieve.Result) {
		for _, m := range r.Matches {
			id := idOf(r, m.Doc)
			doc, ok := r.Reader.Find(id)
			if got, want := r.Reader.Details(doc).Text, index.TextKey(s.get(id)); !ok || got != want {
				t.Errorf("%v has text %x, want %x", id, got, want)
			}
		}
	})
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	src := newSource("s")
	src.put(note(1, "the HTTPServer restarts at noon"), note(2, "Wilhelmina"))
	x := open(t, src, nil)
	want := map[string]bool{
		"server": false, "Server": false, "restarting": false, "HTTPClient": false, // a part is known
		"the": false, "What": false, "": false, "?!": false, // no word, or a stop word
		"Salzburg": true, "zebra": true, "Wilhelmina": false,
	}
	check := func() {
		t.Helper()
		got := make(map[string]bool)
		find(x, query{Text: "What restarts the server, Server?"}, func(r *retrieve.Result) {
			if r.Terms != 2 {
				t.Errorf("%d terms are searched, want 2", r.Terms)
			}
			for w := range want {
				got[w] = r.Vocabulary.Unknown(w)
			}
		})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	check()
	src.purge(id(2))
	catchUp(t, x)
	want["Wilhelmina"] = true
	check()
	find(x, query{}, func(r *retrieve.Result) {
		if r.Memories != 1 || r.Terms != 0 {
			t.Errorf("%d memories, %d terms of no text", r.Memories, r.Terms)
		}
	})
}

func TestMisspelt(t *testing.T) {
	t.Parallel()
	src := newSource("s")
	src.put(note(1, "Priya moved to Lissabon"), note(2, "gone Wilhelmina"))
	x := open(t, src, nil)
	src.purge(id(2))
	catchUp(t, x)
	find(x, query{}, func(r *retrieve.Result) {
		for word, want := range map[string]bool{
			"Pryia": true, "Prya": true, "Prija": true, "Pirya": true, "Lisabonn": true, "zebra": false, "to": false, "tx": false, "Wilhelmima": false, "": false,
		} {
			if got := r.Vocabulary.Misspelt(word); got != want {
				t.Errorf("%q: got %v, want %v", word, got, want)
			}
		}
	})
}

// admitted returns which of the notes of s pass the filters of a query, asked of all
// documents. There must be a document of each note.
func admitted(x *index.Index, q query) map[hippo.ID]bool {
	out := make(map[hippo.ID]bool)
	list, _ := search(x, query{})
	find(x, q, func(r *retrieve.Result) {
		context := make(map[retrieve.Doc]float64)
		for _, m := range r.Matches {
			context[m.Doc] = m.Context
		}
		for _, f := range list {
			doc, ok := r.Reader.Find(f.ID)
			if !ok || idOf(r, doc) != f.ID {
				panic("a document is not found by its ID")
			}
			m, ok := r.Reader.Admit(doc)
			out[f.ID] = ok
			if c, matches := context[doc]; matches && (!ok || m.Context != c) {
				panic("a match is not admitted in its context")
			}
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
	check := func(t *testing.T, q query) {
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
	for name, q := range map[string]query{
		"nothing":         {},
		"project":         {Filter: hippo.Filter{Projects: []string{"p"}}},
		"situation":       {Situation: []string{"cache"}},
		"both":            {Situation: []string{"cache"}, Filter: hippo.Filter{Projects: []string{""}}},
		"author":          {Filter: hippo.Filter{Origin: hippo.Origin{Author: "Ann"}}},
		"trust":           {Filter: hippo.Filter{MinTrust: hippo.TrustHigh}},
		"tag":             {Filter: hippo.Filter{Tags: []string{"a"}}},
		"valid":           {Filter: hippo.Filter{Moment: hippo.Moment{ValidAt: time.UnixMicro(100)}}},
		"no_situation":    {Situation: []string{"gardening"}},
		"unknown_author":  {Filter: hippo.Filter{Origin: hippo.Origin{Author: "Nobody"}}},
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

func TestFind_nothing_deleted(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"), note(2, "two"))
	x := open(t, s, nil)
	s.purge(id(1))
	m := s.get(id(2))
	m.ForgottenAt = time.Unix(1, 0)
	s.put(m)
	catchUp(t, x)
	find(x, query{}, func(r *retrieve.Result) {
		for _, n := range []int{1, 2, 99} {
			if _, ok := r.Reader.Find(id(n)); ok {
				t.Errorf("memory %d is found", n)
			}
		}
	})
}
