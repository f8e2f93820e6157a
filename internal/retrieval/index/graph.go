package index

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// The methods below are what a graph ranker asks beside [retrieve.Reader].

// Mentions returns the documents that have all terms of a text, stop words apart, in any field:
// those that mention what it names. Only documents count that pass the filters of the search. If
// there are more than limit, it returns none of them, and more is true: what everyone mentions
// distinguishes nothing.
//
// Cost: the length of the shortest list of postings of the terms, or less if there are many.
func (f reader) Mentions(text string, limit int) (docs []retrieve.Doc, more bool) {
	return f.having(termsOf(f.pool.opts.Analyzer, text, f.pool.opts.Analyzer.Stop), limit, nil)
}

// Situated returns the documents that have a situation element, whatever its case, counted
// like those of Mentions.
func (f reader) Situated(element string, limit int) (docs []retrieve.Doc, more bool) {
	terms := termsOf(f.pool.opts.Analyzer, element, nil)
	if len(terms) == 0 {
		terms = []string{string(wordlessTerm(element))}
	}
	return f.having(terms, limit, func(s *segment, doc uint32) bool {
		return slices.ContainsFunc(s.columns.elements(&s.columns.extras[doc]), func(name uint32) bool {
			return strings.EqualFold(string(s.names.at(int(name))), element)
		})
	})
}

// Situation returns the situation elements of a document.
func (f reader) Situation(d retrieve.Doc) []string {
	p, doc := f.at(d)
	var out []string
	for _, name := range p.columns.elements(&p.columns.extras[doc]) {
		out = append(out, p.names.text(name))
	}
	return out
}

// termsOf returns the distinct terms of a text but those to leave out.
func termsOf(a bm25.Analyzer, text string, leave func(string) bool) []string {
	var out []string
	a.Terms(text, func(b []byte) {
		if t := string(b); !slices.Contains(out, t) && (leave == nil || !leave(t)) {
			out = append(out, t)
		}
	})
	return out
}

// having returns the documents with all of the terms that the search admits and check accepts,
// if there are at most limit.
func (f *found) having(terms []string, limit int, check func(*segment, uint32) bool) (docs []retrieve.Doc, more bool) {
	if len(terms) == 0 {
		return nil, false
	}
	lists := make([][]byte, len(terms))
	for i := range f.parts {
		p := &f.parts[i]
		if !p.reachable() || !p.lists(terms, lists) {
			continue
		}
		slices.SortFunc(lists, func(a, b []byte) int { return len(a) - len(b) })
		intersect(lists, func(doc uint32) bool {
			if !p.admits(doc) || check != nil && !check(p.segment, doc) {
				return true
			}
			more = len(docs) == limit
			docs = append(docs, docIn(i, doc))
			return !more
		})
		if more {
			return nil, true
		}
	}
	return docs, false
}

// lists fills in the postings of the terms, or reports that one has none.
func (p *partFound) lists(terms []string, lists [][]byte) bool {
	for i, t := range terms {
		id, ok := p.lexicon.find(t)
		if !ok {
			return false
		}
		lists[i] = p.postings(id).posts
	}
	return true
}
