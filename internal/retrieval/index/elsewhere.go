package index

import (
	"cmp"
	"slices"
)

// elsewhere counts the memories of other projects that match at least half of a query, by weight of its terms. It is working memory, which is used
// again.
type elsewhere struct {
	terms []weighed // those of the query that a part has, the heaviest first
	lists []gain
	docs  docSet
	gains []float64 // what a document gains by each term of the query, in the order of the query
	// most is what a document gains if it has all of terms; half is what it has to gain.
	most, half float64
}

// weighed is a term of a query in a part.
type weighed struct {
	lists []gain  // its own, and those of its variants; a document gains by the best of them
	most  float64 // the best of all
	place int     // in the query
}

// gain is the coverage that a list of postings adds to each document in it. Reading the list consumes it.
type gain struct {
	posts []byte
	cover float64
}

// unsure is more than sums of the same numbers in different orders differ by, relatively.
const unsure = 1e-9

// count counts the documents of a part that are in the scope but in no project of the filter, pass the rest of it, and have half of the query. Only
// documents that have one of the heaviest terms are looked at: the others cannot have half. Cost: a pass over the postings of these terms, and for each
// of their documents a search in the list of each term that may decide.
func (e *elsewhere) count(f *found, p *partFound) (n int) {
	e.open(f, p)
	for doc := range e.candidates(p).all() {
		if e.reaches(doc) && (p.filter.open || p.filter.passesRow(p.part, doc)) {
			n++
		}
	}
	clear(e.terms)
	clear(e.lists)
	return n
}

// open finds the lists of the terms in a part.
func (e *elsewhere) open(f *found, p *partFound) {
	e.terms, e.lists, e.most, e.half = e.terms[:0], e.lists[:0], 0, f.terms.totalIDF/2
	e.gains = slices.Grow(e.gains[:0], len(f.terms.list))[:len(f.terms.list)]
	clear(e.gains)
	in := p.scope.hull()
	for i := range f.terms.list {
		t := &f.terms.list[i]
		if t.extra {
			break
		}
		first := len(e.lists)
		e.follow(&t.lists[p.number], in, t.idf)
		for k := range t.variants {
			v := &t.variants[k]
			e.follow(&v.lists[p.number], in, t.idf*v.weight)
		}
		if x := (weighed{lists: e.lists[first:], place: i}); len(x.lists) > 0 {
			for _, l := range x.lists {
				x.most = max(x.most, l.cover)
			}
			e.terms, e.most = append(e.terms, x), e.most+x.most
		}
	}
	slices.SortStableFunc(e.terms, func(a, b weighed) int { return cmp.Compare(b.most, a.most) })
}

func (e *elsewhere) follow(l *list, in docRange, cover float64) {
	if posts := l.posts[from(l.posts, in.from):from(l.posts, in.to)]; len(posts) > 0 {
		e.lists = append(e.lists, gain{posts, cover})
	}
}

// candidates returns documents of other projects in the scope, among them all that have half of the query.
func (e *elsewhere) candidates(p *partFound) docSet {
	e.docs = emptied(e.docs, p.docs)
	rest := e.most
	for _, t := range e.terms {
		if rest < e.half*(1-unsure) {
			break
		}
		rest -= t.most
		for _, l := range t.lists {
			for b := l.posts; len(b) >= postSize; b = b[postSize:] {
				e.docs.add(docOf(b))
			}
		}
	}
	for i, in := range p.filter.docs {
		e.docs[i] &= p.filter.scope[i] &^ in
		if p.situation.required {
			e.docs[i] &= p.situation.docs[i]
		}
	}
	return e.docs
}

// reaches reports whether a document has half of the query. It is asked for ascending documents.
func (e *elsewhere) reaches(doc uint32) bool {
	cover, rest := 0.0, e.most
	for i := range e.terms {
		t := &e.terms[i]
		x := t.of(doc)
		e.gains[t.place] = x
		cover, rest = cover+x, rest-t.most
		switch {
		case cover+rest < e.half*(1-unsure):
			return false
		case cover > e.half*(1+unsure):
			return true
		}
	}
	return e.sum() >= e.half
}

// sum adds up the gains in the order in which [window.add] does.
func (e *elsewhere) sum() (cover float64) {
	for _, x := range e.gains {
		cover += x
	}
	return cover
}

// of returns what a document gains by a term.
func (t *weighed) of(doc uint32) (best float64) {
	for i := range t.lists {
		l := &t.lists[i]
		if l.posts = skip(l.posts, doc); len(l.posts) > 0 && docOf(l.posts) == doc {
			best = max(best, l.cover)
		}
	}
	return best
}
