package index

import (
	"math/bits"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// prunedRoom is the number of matches that there is room for at first if some are left out.
const prunedRoom = 4096

// padded is a number of documents, rounded up so that a window may begin at any multiple of 64.
func padded(docs int) int { return docs + windowSize }

// makeRoom gives each part an empty set of matches, and room for their sums: in a list that it returns, sums if that is long
// enough.
func makeRoom(parts []partFound, sums []sum) []sum {
	n := 0
	for i := range parts {
		n += padded(parts[i].docs)
	}
	if cap(sums) < n {
		sums = make([]sum, n)
	}
	sums = sums[:n]
	rest := sums
	for i := range parts {
		p := &parts[i]
		n := padded(p.docs)
		p.sums, rest = rest[:n:n], rest[n:]
		p.matched = emptied(p.matched, p.docs)
	}
	return sums
}

// count is the number of matches of all parts.
func count(parts []partFound) (n int) {
	for i := range parts {
		p := &parts[i]
		for word := range p.matched {
			n += bits.OnesCount64(p.matching(word))
		}
	}
	return n
}

// matching are the matches among 64 documents.
func (p *partFound) matching(word int) uint64 {
	if len(p.nearest) == 0 {
		return p.matched[word]
	}
	return p.matched[word] | p.nearest[word]
}

// matches reports whether a document is a match.
func (p *partFound) matches(doc uint32) bool { return p.matching(int(doc/64))&(1<<(doc%64)) != 0 }

// collect appends the matches to a list, as far as they are kept; nil: all are.
func (f *found) collect(list []retrieve.Match, kept func(*retrieve.Match) bool) []retrieve.Match {
	for i := range f.parts {
		p := &f.parts[i]
		for word := range p.matched {
			for m := p.matching(word); m != 0; m &= m - 1 {
				list = append(list, retrieve.Match{})
				last := len(list) - 1
				f.match(&list[last], p, uint32(word*64+bits.TrailingZeros64(m)))
				if kept != nil && !kept(&list[last]) {
					list = list[:last]
				}
			}
		}
	}
	return list
}

// match sets the match that a document is, in place: a copy of each would cost as much.
func (f *found) match(m *retrieve.Match, p *partFound, doc uint32) {
	m.Doc, m.Context = docIn(p.number, doc), p.situation.of(doc)
	if p.matched.has(doc) {
		s := &p.sums[doc]
		m.Score, m.Coverage = s.score, 1
		if !f.matches.everything && (p.containing == nil || !p.containing.has(doc)) {
			m.Coverage = s.cover / f.terms.totalIDF
		}
	}
	m.Cosine, m.Passage = f.scanned(retrieve.Semantic, p, doc)
	other := uint32(0)
	m.Multilingual, other = f.scanned(retrieve.Multilingual, p, doc)
	if other > 0 && (m.Passage == 0 || f.matches.foreign || cue.Cues(p.shown.row(doc).cues)&cue.Foreign != 0) {
		m.Passage = other // the other channel reads English alone
	}
	f.estimate(m, p, doc)
}

// estimate sets the cosines of a document that lacks vectors, see [retrieve.Vector.Partial].
func (f *found) estimate(m *retrieve.Match, p *partFound, doc uint32) {
	if lacks(f, retrieve.Semantic, p, doc) {
		m.Cosine = estimated(f, retrieve.Semantic, p, doc)
	}
	if lacks(f, retrieve.Multilingual, p, doc) {
		m.Multilingual = estimated(f, retrieve.Multilingual, p, doc)
	}
}

// beside returns the channel that the cosines missing in others are estimated from.
func beside(f *found) retrieve.Channel {
	if f.channels[retrieve.Instant].model >= 0 {
		return retrieve.Instant
	}
	return retrieve.Multilingual
}

// estimated is the cosine of a document without a vector in a channel; 0 if that is unknown.
func estimated(f *found, in retrieve.Channel, p *partFound, doc uint32) float64 {
	other := beside(f)
	cosine, _ := f.scanned(other, p, doc)
	s := spreads(&f.channels)
	from, to := s[other], s[in]
	if cosine <= 0 || from.Deviation == 0 {
		return 0
	}
	return min(1, max(0, to.Mean+float64(to.Deviation*(cosine-from.Mean)/from.Deviation)))
}

// scanned is the cosine of a document by the scan of a channel, and the number of its passage.
func (f *found) scanned(of retrieve.Channel, p *partFound, doc uint32) (cosine float64, passage uint32) {
	model := f.channels[of].model
	if model < 0 || p.outside || !p.filter.reach.has(doc) {
		return 0, 0
	}
	v, cosines := &p.vectors[model], p.scans[of].cosines
	first, ok := v.first(doc)
	if !ok {
		return 0, 0
	}
	best := first
	if next := first + 1; int(next) < len(v.docOf) && v.docOf[next] == doc {
		from, to := v.rows(doc)
		best = bestRow(cosines, from, to)
		passage = best - from + 1
	}
	if cosine = float64(cosines[best]); cosine < 0 {
		cosine = 0
	}
	return cosine, passage
}

// matchOf is [retrieve.Lookup.Match].
func matchOf(f *found, d retrieve.Doc) (m retrieve.Match, ok bool) {
	p, doc := f.at(d)
	if !p.matches(doc) {
		return m, false
	}
	f.match(&m, p, doc)
	return m, true
}
