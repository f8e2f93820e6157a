package index

import (
	"encoding/binary"
	"math/bits"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// windowSize is the number of documents that are scored at a time: their sums stay in the
// first-level cache whatever the size of the index. A multiple of 64.
const windowSize = 1 << 10

// window scores the documents of a part, some of them at a time.
type window struct {
	scorer     *bm25.Scorer
	substring  string // looked for in all terms; empty: none
	sums       *[windowSize]sum
	hit        [windowSize / 64]uint64 // documents with a sum
	best       [windowSize]sum         // of the variants of one term
	cursors    []cursor
	ends       []int          // where the cursors of each term end
	table      [256]*bm25.Row // of the segment at hand
	prefetched uint8
	elsewhere  elsewhere
}

func (w *window) clear() {
	clear(w.cursors[:cap(w.cursors)])
	w.scorer, w.sums, w.table = nil, nil, [256]*bm25.Row{}
}

// cachedScorer is a scorer and the statistics it is for.
type cachedScorer struct {
	stats bm25.Stats
	*bm25.Scorer
}

// scorerOf returns the scorer for statistics. The one made last is kept.
func (s *searchPool) scorerOf(stats bm25.Stats) *bm25.Scorer {
	if c := s.scorer.Load(); c != nil && c.stats == stats {
		return c.Scorer
	}
	c := &cachedScorer{stats, bm25.NewScorer(*s.opts.Params, stats)}
	s.scorer.Store(c)
	return c.Scorer
}

// longestTerm returns the longest term of a word.
func (f *found) longestTerm(word string) (longest string) {
	f.pool.opts.Analyzer.Terms(word, func(b []byte) {
		if len(b) > len(longest) {
			longest = string(b)
		}
	})
	return longest
}

// cursor walks one list.
type cursor struct {
	list
	idf   float64
	cover float64 // what a document gains of coverage
	// table is, by code, what a term of that shape gains by length of the content; nil
	// where it occurs in other fields, or too often.
	table *[256]*bm25.Row
	last  bm25.Counts // of a rare posting
}

// search finds the matches in ranges of documents of a part.
func (w *window) search(f *found, p *partFound, in []docRange) {
	w.open(f, p)
	if w.substring != "" {
		p.contain(w.substring)
	}
	for _, r := range in {
		for i := range w.cursors {
			w.cursors[i].list = w.cursors[i].startingAt(r.from)
		}
		w.scan(f, p, r)
	}
}

// scan finds the matches in a range of documents, some of them at a time.
func (w *window) scan(f *found, p *partFound, in docRange) {
	all := f.matches.everything || w.substring != ""
	for start := in.from &^ 63; start < in.to; start += windowSize {
		if !all {
			if start = w.next(start); start >= in.to {
				return
			}
		}
		some := docRange{max(start, in.from), min(start+windowSize, in.to)}
		w.sums = (*[windowSize]sum)(p.sums[start:])
		clear(w.sums[some.from-start : some.to-start])
		from := 0
		for _, to := range w.ends {
			if to == from+1 {
				w.add(&w.cursors[from], p, start, some.to)
			} else {
				w.addBest(w.cursors[from:to], p, start, some.to)
			}
			from = to
		}
		w.collect(f, p, start, some)
	}
}

// open sets a cursor on each list of a part.
func (w *window) open(f *found, p *partFound) {
	w.cursors, w.ends, w.table = w.cursors[:0], w.ends[:0], [256]*bm25.Row{}
	for i := range f.terms.list {
		t := &f.terms.list[i]
		w.follow(t, t.lists[p.number], 1)
		for k := range t.variants {
			w.follow(t, t.variants[k].lists[p.number], t.variants[k].weight)
		}
		if n := len(w.cursors); n > 0 && (len(w.ends) == 0 || n > w.ends[len(w.ends)-1]) {
			w.ends = append(w.ends, n)
		}
	}
}

// follow sets a cursor on a list that counts with a weight.
func (w *window) follow(t *term, l list, weight float64) {
	if len(l.posts) == 0 {
		return
	}
	c := cursor{list: l, idf: t.idf * weight, table: &w.table}
	if !t.extra {
		c.cover = c.idf
	}
	w.cursors = append(w.cursors, c)
	w.tabulate(l.shapes)
}

// tabulate fills in the table for the shapes of a segment.
func (w *window) tabulate(shapes *shapes) {
	for code := 1; code <= shapes.used; code++ {
		if n := shapes.counts[code][bm25.Content]; shapes.counts[code] == (bm25.Counts{n}) {
			w.table[code] = w.scorer.Row(n)
		}
	}
}

// next returns the start of the first window at or after start that has postings: a multiple of 64.
func (w *window) next(start uint32) uint32 {
	low := ^uint32(0)
	for i := range w.cursors {
		if b := w.cursors[i].posts; len(b) >= postSize {
			low = min(low, docOf(b))
		}
	}
	return max(start, low&^63)
}

// add adds what one term gives to the documents from start to end.
func (w *window) add(c *cursor, p *partFound, start, end uint32) {
	b, idf := c.posts, c.idf
	lengths, others := p.columns.content[start:end], p.columns.other[start:end]
	at := 0
	for ; at+postSize <= len(b); at += postSize {
		posting := binary.LittleEndian.Uint32(b[at:])
		doc := posting >> 8
		if doc >= end {
			break
		}
		i := (doc - start) % windowSize
		n, gain := lengths[i], 0.0
		if row := c.table[byte(posting)]; row != nil && n < uint32(len(row)) {
			gain = row[n]
		} else {
			gain = w.scorer.Saturated(c.counts(byte(posting)), &bm25.Counts{n, others[i][0], others[i][1]})
		}
		d := &w.sums[i]
		d.score += float64(idf * gain)
		d.cover += c.cover
		w.hit[i/64] |= 1 << (i % 64)
	}
	c.posts = b[at:]
}

// addBest is add for a term with variants: a document gains by the best of them, not by their sum.
func (w *window) addBest(variants []cursor, p *partFound, start, end uint32) {
	var touched [windowSize / 64]uint64
	for k := range variants {
		c := &variants[k]
		for len(c.posts) >= postSize && docOf(c.posts) < end {
			doc, code := docOf(c.posts), c.posts[0]
			length := bm25.Counts{p.columns.content[doc], p.columns.other[doc][0], p.columns.other[doc][1]}
			i := doc - start
			d := &w.best[i]
			d.score = max(d.score, float64(c.idf*w.scorer.Saturated(c.counts(code), &length)))
			d.cover = max(d.cover, c.cover)
			touched[i/64] |= 1 << (i % 64)
			c.posts = c.posts[postSize:]
		}
	}
	for word, m := range touched {
		w.hit[word] |= m
		for ; m != 0; m &= m - 1 {
			i := word*64 + bits.TrailingZeros64(m)
			w.sums[i].score += w.best[i].score
			w.sums[i].cover += w.best[i].cover
			w.best[i] = sum{}
		}
	}
}

// counts returns what a code stands for, and steps over the entry of a rare one.
func (c *cursor) counts(code byte) *bm25.Counts {
	if code != 0 {
		return &c.shapes.counts[code]
	}
	c.last = rareCounts(c.rare)
	c.rare = c.rare[rareSize:]
	return &c.last
}

// collect notes the matches among some documents of a window, and the highest of their sums.
func (w *window) collect(f *found, p *partFound, start uint32, in docRange) {
	for i := range w.hit {
		word := int(start)/64 + i
		m := w.hit[i]
		w.hit[i] = 0
		if w.substring != "" && word < len(p.containing) {
			m |= p.containing[word]
		}
		if f.matches.everything {
			m = ^uint64(0)
		}
		if m &= lowBits(int(in.to)-word*64) &^ lowBits(int(in.from)-word*64); m == 0 {
			continue
		}
		if p.situation.required {
			m &= p.situation.docs[word]
		}
		m &= p.filter.docs[word]
		for all := m; all != 0; all &= all - 1 {
			bit := bits.TrailingZeros64(all)
			if doc := uint32(word*64 + bit); p.filter.open || p.filter.passesRow(p.part, doc) {
				f.matches.best = max(f.matches.best, w.sums[doc-start].score)
			} else {
				m &^= 1 << bit
			}
		}
		p.matched[word] |= m
	}
}

// contain finds the documents of a part with a term that contains a string.
func (p *partFound) contain(substring string) {
	p.containing = newDocSet(p.docs)
	p.lexicon.containing(needleOf(substring), func(id uint32) {
		for b := p.postings(id).posts; len(b) >= postSize; b = b[postSize:] {
			p.containing.add(docOf(b))
		}
	})
}
