package index

import (
	"encoding/binary"
	"math/bits"

	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// width is the number of documents that are scored at a time: their sums stay in
// the first-level cache whatever the size of the index. A multiple of 64.
const width = 1 << 10

// maxParts is the most segments there are: base, frozen, active.
const maxParts = 3

// term is a term of a query.
type term struct {
	text string
	idf  float64
	at   [maxParts]list
}

// sum is what a document has so far.
type sum struct{ score, cover float64 }

// scratch is the working memory of one search.
type scratch struct {
	x          *Index
	scorer     *bm25.Scorer
	keep       filter
	everything bool // the query has no text
	terms      []term
	total      float64 // idf of all terms
	part       string  // of a word, looked for in all terms; empty: none

	matches []Match
	sums    [width]sum
	hit     [width / 64]uint64 // documents with a sum
	cursors []cursor
	table   [256]*bm25.Row // of the segment at hand
	found   docSet         // documents with a term that contains part

	filtered bool // by situation
	fits     [maxParts]fitting
	at       *fitting // of the segment at hand
	ids      []uint32

	near near
}

func (s *scratch) begin(x *Index) {
	s.x, s.scorer = x, x.scoring()
	s.everything, s.filtered, s.part, s.total = false, false, "", 0
	s.terms, s.matches = s.terms[:0], s.matches[:0]
}

// end lets go of the index: a base that has been replaced would stay mapped.
func (s *scratch) end() {
	clear(s.terms[:cap(s.terms)])
	clear(s.cursors[:cap(s.cursors)])
	s.x, s.scorer, s.keep, s.table, s.near.space = nil, nil, filter{}, [256]*bm25.Row{}, nil
}

// ask analyses the text and looks up its terms, each once, in the order of
// their first occurrence. It returns the bound of the score.
func (s *scratch) ask(text string) (most float64) {
	x := s.x
	seen := make(map[string]bool)
	stops := 0
	x.analyzer.Terms(text, func(b []byte) {
		if !seen[string(b)] {
			t := string(b)
			seen[t] = true
			s.terms = append(s.terms, term{text: t})
			if x.analyzer.Stop(t) {
				stops++
			}
		}
	})
	if stops > 0 && stops < len(s.terms) && !x.keepStop {
		kept := s.terms[:0]
		for _, t := range s.terms {
			if !x.analyzer.Stop(t.text) {
				kept = append(kept, t)
			}
		}
		s.terms = kept
	}
	parts := x.parts()
	for i := range s.terms {
		t := &s.terms[i]
		df := 0
		for k, p := range parts {
			if id, ok := p.find(t.text); ok {
				t.at[k] = p.postings(id)
				df += s.alive(t.at[k], p.first)
			}
		}
		// A word that no memory has counts like one that one memory has: in a
		// small store it would outweigh all that were found.
		t.idf = bm25.IDF(x.rows.live.Docs, max(df, 1))
		s.total += t.idf
		most += float64(t.idf * s.scorer.Most())
	}
	return most
}

// alive counts the live postings of a list.
func (s *scratch) alive(l list, first uint32) int {
	if r := s.x.rows; len(r.hot) > r.live.Docs {
		return l.alive(r.dead, first)
	}
	return l.len()
}

// within asks for terms that contain the word, too.
func (s *scratch) within(text string) {
	s.x.analyzer.Terms(text, func(b []byte) {
		if len(b) > len(s.part) {
			s.part = string(b)
		}
	})
}

// cursor walks one list.
type cursor struct {
	list
	idf float64
	// table is, by code, what a term of that shape gains by length of the
	// content; nil where it occurs in other fields, or too often.
	table *[256]*bm25.Row
	last  bm25.Counts // of a rare posting
}

// search collects the matches in one segment.
func (s *scratch) search(p part, k int) {
	n := uint32(p.docs())
	s.open(k)
	s.at = &s.fits[k]
	if s.part != "" {
		s.contain(p)
	}
	for start := uint32(0); start < n; start += width {
		if !s.everything && s.part == "" {
			if start = s.next(start); start >= n {
				return
			}
		}
		end := min(start+width, n)
		w := windowOf{start: start, end: end, first: p.first}
		for i := range s.cursors {
			s.add(&s.cursors[i], w)
		}
		s.collect(w)
	}
}

// windowOf is a stretch of a segment's documents; first is that of the segment.
type windowOf struct{ start, end, first uint32 }

// open sets a cursor on each list of the k-th segment.
func (s *scratch) open(k int) {
	s.cursors, s.table = s.cursors[:0], [256]*bm25.Row{}
	for i := range s.terms {
		t := &s.terms[i]
		if l := t.at[k]; len(l.posts) > 0 {
			s.cursors = append(s.cursors, cursor{list: l, idf: t.idf, table: &s.table})
			s.tabulate(l.shapes)
		}
	}
}

// tabulate fills in the table for the shapes of a segment.
func (s *scratch) tabulate(shapes *shapes) {
	for code := 1; code <= shapes.used; code++ {
		if n := shapes.counts[code][bm25.Content]; shapes.counts[code] == (bm25.Counts{n}) {
			s.table[code] = s.scorer.Row(n)
		}
	}
}

// next returns the start of the first window at or after start that has postings.
func (s *scratch) next(start uint32) uint32 {
	low := ^uint32(0)
	for i := range s.cursors {
		if b := s.cursors[i].posts; len(b) >= postSize {
			low = min(low, binary.LittleEndian.Uint32(b)>>8)
		}
	}
	return max(start, low&^(width-1))
}

// add adds what one term gives to the documents of a window.
func (s *scratch) add(c *cursor, w windowOf) {
	b, idf, r := c.posts, c.idf, s.x.rows
	from, to := w.first+w.start, w.first+w.end
	lengths, others := r.content[from:to], r.other[from:to]
	at := 0
	for ; at+postSize <= len(b); at += postSize {
		p := binary.LittleEndian.Uint32(b[at:])
		doc := p >> 8
		if doc >= w.end {
			break
		}
		i := (doc - w.start) % width
		n, gain := lengths[i], 0.0
		if row := c.table[byte(p)]; row != nil && n < uint32(len(row)) {
			gain = row[n]
		} else {
			gain = s.scorer.Saturated(c.counts(byte(p)), &bm25.Counts{n, others[i][0], others[i][1]})
		}
		d := &s.sums[i]
		d.score += float64(idf * gain)
		d.cover += idf
		s.hit[i/64] |= 1 << (i % 64)
	}
	c.posts = b[at:]
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

// collect turns the sums of a window into matches and clears them.
func (s *scratch) collect(w windowOf) {
	r := s.x.rows
	deadToo := len(r.hot) > r.live.Docs
	for i := range s.hit {
		at := int(w.start)/64 + i
		m := s.hit[i]
		s.hit[i] = 0
		scored := m
		if s.part != "" {
			m |= s.found.word(at)
		}
		if s.everything {
			m = upTo(int(w.end) - at*64)
		}
		if s.filtered {
			m &= s.at.docs.word(at)
		}
		for all := m | scored; all != 0; all &= all - 1 {
			bit := bits.TrailingZeros64(all)
			d := &s.sums[i*64+bit]
			got := *d
			*d = sum{}
			doc := w.first + uint32(at*64+bit)
			if m&(1<<bit) == 0 || deadToo && r.dead.has(doc) || !s.keep.all && !s.keep.keeps(r, doc) {
				continue
			}
			s.match(doc, uint32(at*64+bit), got)
		}
	}
}

// match appends a match; local is the document's number in its segment.
func (s *scratch) match(doc, local uint32, d sum) {
	m := Match{Doc: doc, Score: d.score, Coverage: 1, Context: 1}
	if !s.everything && (s.part == "" || !s.found.has(local)) {
		m.Coverage = d.cover / s.total
	}
	if s.filtered {
		m.Context = s.at.context[local]
	}
	s.matches = append(s.matches, m)
}

// upTo returns a word with the n lowest bits set.
func upTo(n int) uint64 {
	switch {
	case n <= 0:
		return 0
	case n >= 64:
		return ^uint64(0)
	default:
		return 1<<n - 1
	}
}

// contain finds the documents of a segment with a term that contains s.part.
func (s *scratch) contain(p part) {
	s.found.reset(p.docs())
	p.containing(needleOf(s.part), func(id uint32) {
		for b := p.postings(id).posts; len(b) >= postSize; b = b[postSize:] {
			s.found.add(binary.LittleEndian.Uint32(b) >> 8)
		}
	})
}
