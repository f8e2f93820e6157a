package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/retrieve"
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
		place retrieve.Place
		want  []int
	}{
		"anywhere":         {retrieve.Place{}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		"at":               {retrieve.Place{At: []string{"/m/a"}}, []int{1}},
		"at_several":       {retrieve.Place{At: []string{"/n/a", "debugging", "/none"}}, []int{2, 4, 7}},
		"below":            {retrieve.Place{Below: []string{"/m/a/"}}, []int{2}},
		"below_or_at":      {retrieve.Place{At: []string{"/m/a"}, Below: []string{"/m/a/"}}, []int{1, 2}},
		"beginning":        {retrieve.Place{Below: []string{"/m"}}, []int{1, 2, 3, 5}},
		"nowhere":          {retrieve.Place{At: []string{"/none"}, Below: []string{"/none/"}}, []int{}},
		"without_the_root": {retrieve.Place{At: []string{"/m/a"}, Root: "/m/"}, []int{0, 1, 4, 5, 6, 7}},
		"last_name":        {retrieve.Place{Below: []string{"x"}}, []int{6}},
	} {
		for _, text := range []string{"", "word"} {
			if d := cmp.Diff(c.want, ids(x, query{Text: text, Place: c.place})); d != "" {
				t.Errorf("%s, text %q (-want +got):\n%s", name, text, d)
			}
		}
	}
}
