package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A score counts what is right of what was said, and what was found of what there is.
type score struct {
	right, said, found, judged int
}

func (s score) row(w io.Writer, tree, what string) {
	ratio := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	fmt.Fprintf(w, "| %s | %s | %d | %d | %.4f | %.4f |\n", tree, what, s.judged, s.said, ratio(s.right, s.said), ratio(s.found, s.judged))
}

// A comparison is what [compare] found.
type comparison struct {
	definitions, references, calls score
	sure                           score // references that more than a name decides
	misses                         []string
}

func (c *comparison) print(w io.Writer, tree string) {
	c.definitions.row(w, tree, "definitions")
	c.references.row(w, tree, "references")
	c.sure.row(w, tree, "references, without those by name")
	c.calls.row(w, tree, "call edges")
}

// compare judges the files that both have read. Where the judge has one definition for a name, a reference that may mean several says all of them,
// and at most one is right. Where it has several, such as those of two branches, each is right, and one is enough. What is said to be in a file that
// the judge has not read, such as one for another system, is not judged; neither are places that the judge does not list.
func compare(truth, said *facts) *comparison {
	c := &comparison{}
	both := func(p place) bool { return truth.files[p.file] && said.files[p.file] }
	for _, p := range slices.SortedFunc(maps.Keys(truth.definitions), byPlace) {
		if both(p) {
			c.definitions.add(1, 0, said.definitions[p])
			if !said.definitions[p] {
				c.misses = append(c.misses, fmt.Sprintf("%s: no definition", p))
			}
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(said.definitions), byPlace) {
		if both(p) {
			c.definitions.add(0, 1, truth.definitions[p])
			if !truth.definitions[p] {
				c.misses = append(c.misses, fmt.Sprintf("%s: a definition", p))
			}
		}
	}
	want, got := edges{}, edges{}
	for _, p := range slices.SortedFunc(maps.Keys(truth.uses), byPlace) {
		if both(p) {
			c.reference(p, truth.uses[p], said, both, want, got)
		}
	}
	c.edges(want, got)
	return c
}

func byPlace(a, b place) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.at, b.at)) }

// add counts things that are judged and said, which are right or not.
func (s *score) add(judged, said int, right bool) {
	s.judged += judged
	s.said += said
	if right {
		s.found += judged
		s.right += said
	}
}

// edges are calls, from a definition to another, with the other definitions that this one stands for.
type edges map[[2]place][]place

func (e edges) add(u use, types map[place]bool, both func(place) bool, each bool) {
	if !u.call {
		return
	}
	to := slices.DeleteFunc(slices.Clone(u.to), func(d place) bool { return !both(d) || types[d] })
	slices.SortFunc(to, byPlace)
	for _, d := range to {
		e[[2]place{u.caller, d}] = to
		if !each {
			return
		}
	}
}

func (c *comparison) edges(want, got edges) {
	right := make(map[[2]place]bool)
	for e, all := range want {
		found := false
		for _, d := range all {
			edge := [2]place{e[0], d}
			right[edge] = true
			_, said := got[edge]
			found = found || said
		}
		c.calls.add(1, 0, found)
	}
	for e := range got {
		c.calls.add(0, 1, right[e])
	}
}

// reference judges what is said of one place.
func (c *comparison) reference(p place, t use, said *facts, both func(place) bool, want, got edges) {
	s := said.uses[p]
	s.to = slices.DeleteFunc(slices.Clone(s.to), func(d place) bool { return !both(d) })
	t.to = slices.DeleteFunc(slices.Clone(t.to), func(d place) bool { return !both(d) || !said.definitions[d] })
	hit, wrong := false, false
	for _, d := range s.to {
		right := slices.Contains(t.to, d)
		c.references.add(0, 1, right)
		if !s.named {
			c.sure.add(0, 1, right)
		}
		hit, wrong = hit || right, wrong || !right
	}
	if len(t.to) > 0 {
		c.references.add(1, 0, hit)
		c.sure.add(1, 0, hit && !s.named)
	}
	if len(t.to) > 0 != hit || wrong {
		c.misses = append(c.misses, fmt.Sprintf("%s: %v, not %v", p, s.to[:min(len(s.to), 3)], t.to))
	}
	want.add(t, said.types, both, false)
	got.add(s, said.types, both, true)
}
