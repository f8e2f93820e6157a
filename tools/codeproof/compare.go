package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A score counts what is right of what was said, and of what there is.
type score struct {
	right, said, judged int
}

func (s score) row(w io.Writer, tree, what string) {
	ratio := func(n int) float64 { return float64(s.right) / float64(max(n, 1)) }
	fmt.Fprintf(w, "| %s | %s | %d | %d | %.4f | %.4f |\n", tree, what, s.judged, s.said, ratio(s.said), ratio(s.judged))
}

// A comparison is what [compare] found.
type comparison struct {
	definitions, references, calls score
	misses                         []string
}

func (c *comparison) print(w io.Writer, tree string) {
	c.definitions.row(w, tree, "definitions")
	c.references.row(w, tree, "references")
	c.calls.row(w, tree, "call edges")
}

// compare judges the files that both have read. A reference that may mean several definitions says all of them, and at most one is right. What is
// said to be in a file that the judge has not read, such as one for another system, is not judged; neither are places that the judge does not list.
func compare(truth, said *facts) *comparison {
	c := &comparison{}
	both := func(p place) bool { return truth.files[p.file] && said.files[p.file] }
	for p := range truth.definitions {
		c.definitions.count(both(p), said.definitions[p])
	}
	for p := range said.definitions {
		if both(p) {
			c.definitions.said++
		}
	}
	want, got := edges{}, edges{}
	for _, p := range slices.SortedFunc(maps.Keys(truth.uses), byPlace) {
		if both(p) {
			c.reference(p, truth.uses[p], said, both, want, got)
		}
	}
	for e := range want {
		c.calls.count(true, got[e])
	}
	c.calls.said = len(got)
	return c
}

func byPlace(a, b place) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.at, b.at)) }

func (s *score) count(judged, right bool) {
	if judged {
		s.judged++
		if right {
			s.right++
		}
	}
}

// edges are calls, from a definition to another.
type edges map[[2]place]bool

func (e edges) add(u use, types map[place]bool, both func(place) bool) {
	if !u.call {
		return
	}
	for _, to := range u.to {
		if both(to) && !types[to] {
			e[[2]place{u.caller, to}] = true
		}
	}
}

// reference judges what is said of one place.
func (c *comparison) reference(p place, t use, said *facts, both func(place) bool, want, got edges) {
	s := said.uses[p]
	s.to = slices.DeleteFunc(slices.Clone(s.to), func(d place) bool { return !both(d) })
	t.to = slices.DeleteFunc(slices.Clone(t.to), func(d place) bool { return !both(d) || !said.definitions[d] })
	hit := slices.ContainsFunc(t.to, func(d place) bool { return slices.Contains(s.to, d) })
	c.references.count(len(t.to) > 0, hit)
	c.references.said += len(s.to)
	if len(t.to) > 0 != hit || len(s.to) > len(t.to) {
		c.misses = append(c.misses, fmt.Sprintf("%s: %v, not %v", p, s.to[:min(len(s.to), 3)], t.to))
	}
	want.add(t, said.types, both)
	got.add(s, said.types, both)
}
