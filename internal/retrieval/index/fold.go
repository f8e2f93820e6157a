package index

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

func (f folding) matches(d retrieve.Doc) bool {
	p, doc := f.at(d)
	return p.matches(doc)
}

func (f folding) admits(d retrieve.Doc) bool {
	p, doc := f.at(d)
	return p.admits(doc)
}

// shown returns what stands for a document: a match that says the same, or one that joined, or else the document.
func (f folding) shown(d retrieve.Doc) retrieve.Doc {
	run := f.run(d)
	if run == nil || f.matches(d) || !f.admits(d) {
		return d
	}
	what := f.says(d)
	for _, x := range run {
		if f.matches(x.doc) && f.says(x.doc) == what {
			return x.doc
		}
	}
	for _, x := range f.same.joined {
		if f.says(x) == what {
			return x
		}
	}
	return d
}

// join reports whether a document may be a hit: it stands for what says the same, or does so from now on.
func (f folding) join(d retrieve.Doc) bool {
	if f.shown(d) != d {
		return false
	}
	if f.run(d) != nil && !f.matches(d) && !slices.Contains(f.same.joined, d) {
		f.same.joined = append(f.same.joined, d)
	}
	return true
}

// others returns the documents that pass the filter and say the same as a hit.
func (f folding) others(d retrieve.Doc) (list []retrieve.Doc) {
	for _, x := range f.run(d) {
		if x.doc != d && f.says(x.doc) == f.says(d) && f.admits(x.doc) {
			list = append(list, x.doc)
		}
	}
	return list
}

// shownID returns the ID of what stands for a memory.
func (f folding) shownID(id hippo.ID) hippo.ID {
	if len(f.same.repeated) == 0 {
		return id
	}
	at, doc, ok := f.snapshot.find(id)
	if !ok {
		return id
	}
	p, shown := f.at(f.shown(docIn(at, doc)))
	return p.columns.rows[shown].id
}

// fold leaves out all matches that say the same but the one that is chosen of them. Cost: some 5 ns for each repeated document, and 200 ns if it matches.
func (f folding) fold(r *retrieve.Result) {
	choose := f.query.Fold(r)
	byState := func(a, b retrieve.Doc) int { return cmp.Or(f.says(a).compare(f.says(b)), cmp.Compare(a, b)) }
	var docs []retrieve.Doc
	var group []retrieve.Match
	for run := range runs(f.same.repeated, repeated.alike) {
		docs = docs[:0]
		for _, x := range run {
			if f.matches(x.doc) {
				docs = append(docs, x.doc)
			}
		}
		if len(docs) < 2 {
			continue
		}
		slices.SortFunc(docs, byState)
		for docs := range runs(docs, func(a, b retrieve.Doc) bool { return f.says(a) == f.says(b) }) {
			if len(docs) > 1 {
				group = f.appendMatches(group[:0], docs)
				f.leave(r, docs, choose(group))
			}
		}
	}
	r.Spreads = spreads(&f.channels)
}

func (f folding) appendMatches(dst []retrieve.Match, docs []retrieve.Doc) []retrieve.Match {
	for _, d := range docs {
		dst = append(dst, retrieve.Match{})
		p, doc := f.at(d)
		f.match(&dst[len(dst)-1], p, doc)
	}
	return dst
}

// leave leaves out some matches but the one that is chosen of them.
func (f folding) leave(r *retrieve.Result, docs []retrieve.Doc, chosen retrieve.Doc) {
	for _, d := range docs {
		if d == chosen {
			continue
		}
		p, doc := f.at(d)
		p.matched.remove(doc)
		if len(p.nearest) > 0 {
			p.nearest.remove(doc)
		}
		r.Memories--
		f.discount(p, doc)
	}
}

// discount takes the cosines of a document out of their statistics, which are then those of a store that has its text once.
func (f folding) discount(p *partFound, doc uint32) {
	if f.sampling > 0 && !f.sampling.has(&p.columns.rows[doc].id) {
		return
	}
	for c := range f.channels {
		ch := &f.channels[c]
		if ch.model < 0 {
			continue
		}
		from, to := p.vectors[ch.model].rows(doc)
		for _, cosine := range p.scans[c].cosines[from:to] {
			x := float64(cosine)
			ch.count, ch.sum, ch.squares = ch.count-1, ch.sum-x, ch.squares-float64(x*x)
		}
	}
}
