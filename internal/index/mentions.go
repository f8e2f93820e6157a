package index

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Mentions returns the documents that have all terms of a text, function words apart,
// in any field: those that mention what it names. Only live documents count that pass
// the filters of the latest search. If there are more than most, it returns none of
// them, and more is true: what everyone mentions tells nothing.
//
// The order is that of the documents. Cost: the length of the shortest list of
// postings of the terms, or less if there are many.
func (v *View) Mentions(text string, most int) (docs []uint32, more bool) {
	return v.having(v.termsOf(text, v.x.analyzer.Stop), most, nil)
}

// Situated returns the documents that have a situation element, whatever its case,
// counted like those of [View.Mentions].
func (v *View) Situated(element string, most int) (docs []uint32, more bool) {
	terms := v.termsOf(element, nil)
	if len(terms) == 0 {
		terms = []string{string(wordlessTerm(element))}
	}
	r := v.x.rows
	return v.having(terms, most, func(doc uint32) bool {
		return slices.ContainsFunc(r.elems(&r.cold[doc]), func(name uint32) bool {
			return strings.EqualFold(r.names.list[name], element)
		})
	})
}

// Situation returns the situation elements of a document.
func (v *View) Situation(doc uint32) []string {
	r := v.x.rows
	var out []string
	for _, name := range r.elems(&r.cold[doc]) {
		out = append(out, r.names.list[name])
	}
	return out
}

// Find returns the live document of a memory, or false.
func (v *View) Find(id hippo.ID) (uint32, bool) { return v.x.doc(id) }

// Valid returns when the fact of a document holds: from <= t < until, in microseconds
// since 1970, 0: unbounded.
func (v *View) Valid(doc uint32) (from, until int64) {
	c := &v.x.rows.cold[doc]
	return c.from, c.until
}

// termsOf returns the distinct terms of a text but those to leave out.
func (v *View) termsOf(text string, leave func(string) bool) []string {
	var out []string
	v.x.analyzer.Terms(text, func(b []byte) {
		if t := string(b); !slices.Contains(out, t) && (leave == nil || !leave(t)) {
			out = append(out, t)
		}
	})
	return out
}

// having returns the documents with all of the terms that the search admits and check
// accepts, if there are at most so many.
func (v *View) having(terms []string, most int, check func(uint32) bool) (docs []uint32, more bool) {
	if len(terms) == 0 {
		return nil, false
	}
	lists := make([][]byte, len(terms))
	for _, p := range v.x.parts() {
		if !postingsOf(p, terms, lists) {
			continue
		}
		slices.SortFunc(lists, func(a, b []byte) int { return len(a) - len(b) })
		for b := lists[0]; len(b) >= postSize; b = b[postSize:] {
			local := binary.LittleEndian.Uint32(b) >> 8
			doc := p.first + local
			if !inAll(lists[1:], local) || !v.Admits(doc) || check != nil && !check(doc) {
				continue
			}
			if len(docs) == most {
				return nil, true
			}
			docs = append(docs, doc)
		}
	}
	return docs, false
}

// postingsOf fills in the postings of the terms, or reports that one has none.
func postingsOf(p part, terms []string, lists [][]byte) bool {
	for i, t := range terms {
		id, ok := p.find(t)
		if !ok {
			return false
		}
		lists[i] = p.postings(id).posts
	}
	return true
}

// inAll reports whether a document is in all lists, and drops what comes before it:
// it is asked for ascending documents.
func inAll(lists [][]byte, doc uint32) bool {
	for i, b := range lists {
		n := len(b) / postSize
		// The place is near as a rule, so the step doubles until it is passed.
		step := 1
		for step < n && binary.LittleEndian.Uint32(b[step*postSize:])>>8 < doc {
			step *= 2
		}
		at := sort.Search(min(step+1, n), func(k int) bool { return binary.LittleEndian.Uint32(b[k*postSize:])>>8 >= doc })
		lists[i] = b[at*postSize:]
		if at == n || binary.LittleEndian.Uint32(lists[i])>>8 != doc {
			return false
		}
	}
	return true
}
