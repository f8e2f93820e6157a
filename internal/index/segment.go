package index

import (
	"encoding/binary"
	"strings"

	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// segment is a run of documents with a dictionary of its own: the base, or what
// came after it. Documents are numbered from 0 within it; terms likewise.
type segment interface {
	// docs and terms are the sizes.
	docs() int
	terms() int
	// find returns the number of a term.
	find(term string) (uint32, bool)
	// term returns a term; the caller must not change it.
	term(id uint32) []byte
	// postings returns where a term occurs.
	postings(id uint32) list
	// elements returns the situation of a document, see [appendElement].
	elements(doc uint32) []byte
	// pieces returns those of the text of a document, see [appendPieces].
	pieces(doc uint32) []byte
	// containing calls f with every term that contains part.
	containing(part needle, f func(id uint32))
}

// needle is what to look for within terms. Stems lack the e that words end in
// (database: databas), so a needle that ends in e also matches without it at the
// end of a term.
type needle struct {
	text string // without the e
	e    bool
}

func needleOf(term string) needle {
	if text, ok := strings.CutSuffix(term, "e"); ok && text != "" {
		return needle{text, true}
	}
	return needle{term, false}
}

// at reports whether the needle is found where its text is, given what follows.
func (n needle) at(rest []byte) bool { return !n.e || len(rest) == 0 || rest[0] == 'e' }

// in reports whether term contains the needle.
func (n needle) in(term string) bool {
	return strings.Contains(term, n.text) &&
		(!n.e || strings.HasSuffix(term, n.text) || strings.Contains(term, n.text+"e"))
}

// list holds the postings of one term, by ascending document: four bytes each,
// little-endian document<<8 | code. The code says how often the term occurs, by
// the shapes of the segment; code 0 is "see the next entry of rare".
type list struct {
	posts  []byte
	rare   []byte // entries of rareSize bytes: the counts by field
	shapes *shapes
}

const (
	postSize = 4
	rareSize = 4 * int(bm25.NumFields)
	// maxDocs is what fits beside the code.
	maxDocs = 1 << 24
)

// shapes maps codes to the counts they stand for. Nearly all postings have one
// of few shapes (once or twice in the content), so one byte is enough.
type shapes struct {
	counts [256]bm25.Counts
	used   int // codes 1 to used are taken
}

// code returns the code of c, 0 if there is none left for it.
func (s *shapes) code(c bm25.Counts) byte {
	for i := 1; i <= s.used; i++ {
		if s.counts[i] == c {
			return byte(i)
		}
	}
	if s.used == len(s.counts)-1 {
		return 0
	}
	s.used++
	s.counts[s.used] = c
	return byte(s.used)
}

// each calls f with every posting, in order.
func (l list) each(f func(doc uint32, c bm25.Counts)) {
	rare := l.rare
	for b := l.posts; len(b) >= postSize; b = b[postSize:] {
		p := binary.LittleEndian.Uint32(b)
		c := l.shapes.counts[byte(p)]
		if byte(p) == 0 {
			c, rare = rareCounts(rare), rare[rareSize:]
		}
		f(p>>8, c)
	}
}

// len is the number of postings.
func (l list) len() int { return len(l.posts) / postSize }

// alive counts the postings of documents that are not dead; first is the number
// of the segment's first document.
func (l list) alive(dead docSet, first uint32) int {
	n := l.len()
	for b := l.posts; len(b) >= postSize; b = b[postSize:] {
		if dead.has(first + binary.LittleEndian.Uint32(b)>>8) {
			n--
		}
	}
	return n
}

func rareCounts(b []byte) (c bm25.Counts) {
	for f := range c {
		c[f] = binary.LittleEndian.Uint32(b[4*f:])
	}
	return c
}

// appendPosting appends a posting to the list in posts and rare.
func appendPosting(posts, rare []byte, s *shapes, doc uint32, c bm25.Counts) (p, r []byte) {
	code := s.code(c)
	if code == 0 {
		for _, n := range c {
			rare = binary.LittleEndian.AppendUint32(rare, n)
		}
	}
	return binary.LittleEndian.AppendUint32(posts, doc<<8|uint32(code)), rare
}

// appendElement appends one element of a situation to the encoding of a
// document's: the number of its distinct terms, then their numbers, ascending,
// each as the difference to the one before; all uvarints.
func appendElement(b []byte, sorted []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(sorted)))
	last := uint32(0)
	for _, id := range sorted {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	return b
}

// nextElement decodes the first element of b into ids and returns the rest,
// which is empty at the end, and where b is not well-formed.
func nextElement(ids []uint32, b []byte) (sorted []uint32, rest []byte) {
	n, at := uvarint32(b, 0)
	ids = ids[:0]
	last := uint32(0)
	for ; n > 0 && at < len(b); n-- {
		var d uint32
		d, at = uvarint32(b, at)
		last += d
		ids = append(ids, last)
	}
	return ids, b[at:]
}

// uvarint32 reads a uvarint at b[at] and returns it and where it ends, at most
// len(b).
func uvarint32(b []byte, at int) (v uint32, end int) {
	for shift := 0; at < len(b); shift += 7 {
		c := b[at]
		at++
		v |= uint32(c&0x7F) << shift
		if c < 0x80 {
			break
		}
	}
	return v, at
}
