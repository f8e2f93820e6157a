package index_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// A place keeps the memories with a situation element of it, however the texts are divided into parts of the index.
func TestSearch_filters_by_place(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n, situation := range [][]string{nil, {"/m/a"}, {"/m/a/b", "debugging"}, {"/m/ab"}, {"debugging"}, {"/m"}, {"x /m/a"}, {"/n/a"}} {
		m := note(n, "word")
		m.Situation = situation
		s.put(m)
	}
	x := open(t, s, nil)
	for name, c := range map[string]struct {
		place api.Place
		want  []int
	}{
		"anywhere":         {api.Place{}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		"at":               {api.Place{At: []string{"/m/a"}}, []int{1}},
		"at_several":       {api.Place{At: []string{"/n/a", "debugging", "/none"}}, []int{2, 4, 7}},
		"below":            {api.Place{Below: []string{"/m/a/"}}, []int{2}},
		"below_or_at":      {api.Place{At: []string{"/m/a"}, Below: []string{"/m/a/"}}, []int{1, 2}},
		"beginning":        {api.Place{Below: []string{"/m"}}, []int{1, 2, 3, 5}},
		"nowhere":          {api.Place{At: []string{"/none"}, Below: []string{"/none/"}}, []int{}},
		"without_the_root": {api.Place{At: []string{"/m/a"}, Root: "/m/"}, []int{0, 1, 4, 5, 6, 7}},
		"last_name":        {api.Place{Below: []string{"x"}}, []int{6}},
	} {
		for _, text := range []string{"", "word"} {
			if d := cmp.Diff(c.want, ids(x, query{Text: text, Place: c.place})); d != "" {
				t.Errorf("%s, text %q (-want +got):\n%s", name, text, d)
			}
		}
	}
}

// A filter by source follows a source that changes while the text stays, a merge, and the file.
func TestSearch_source(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for i := range 40 {
		m := note(i, "the same words")
		m.Namespace = []string{"", "other"}[i%2]
		m.Source = hippo.Source{Kind: hippo.SourceAgent, Client: "a"}
		if i%4 == 0 {
			m.Source = hippo.Source{URI: "notes/b.md"}
		}
		s.put(m)
	}
	o := &index.Options{Path: filepath.Join(t.TempDir(), "index")}
	x := open(t, s, o)
	of := func(want hippo.Source) []int {
		return ids(x, query{Source: func(s *hippo.Source) bool { return *s == want }})
	}
	check := func(when string, source hippo.Source, want int) {
		t.Helper()
		if got := of(source); len(got) != want {
			t.Errorf("%s: %d memories are of %+v, want %d", when, len(got), source, want)
		}
	}
	agent, file := hippo.Source{Kind: hippo.SourceAgent, Client: "a"}, hippo.Source{URI: "notes/b.md"}
	check("at first", agent, 10)
	check("at first", file, 10)
	for i := range 4 {
		m := s.get(id(i))
		m.Source.Client = "c"
		s.put(m)
	}
	catchUp(t, x)
	check("changed", agent, 9)
	check("changed", file, 9)
	check("changed", hippo.Source{Client: "c", URI: "notes/b.md"}, 1)
	save(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, s, o)
	check("from the file", agent, 9)
	check("from the file", file, 9)
}
