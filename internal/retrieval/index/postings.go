package index

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

// lexicon is the inverted index of a segment: its terms, sorted, and where each occurs.
type lexicon struct {
	terms  blobs
	posts  blobs // by term
	rare   blobs // by term
	shapes shapes
	// heads caches the beginnings of some terms; see [lexicon.around].
	heads atomic.Pointer[[]uint64]
}

// list holds the postings of one term by ascending document, four bytes each, little-endian:
// document<<8 | code. The code stands for the counts of the term by field, through the shapes
// of the segment; code 0 means the next entry of rare.
type list struct {
	posts  []byte
	rare   []byte // entries of rareSize bytes: the counts by field
	shapes *shapes
}

const (
	postSize = 4
	rareSize = 4 * int(bm25.NumFields)
	// maxDocs is the number of documents of a segment: numbers take 16 of the 24 bits
	// that a posting has, so that a part and a document fit [retrieve.Doc].
	maxDocs = 1 << 16
)

// shapes maps codes to the counts they stand for. Nearly all postings have one of few
// shapes (once or twice in the content), so one byte is enough.
type shapes struct {
	counts [256]bm25.Counts
	used   int // codes 1 to used are taken
}

// code returns the code of c, 0 if none is left for it.
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

// wordless begins the term that stands for a situation element without any word, "!!!" for
// example; the element follows, lower-cased. No analyzer makes such a term, so no query text
// finds it.
const wordless = '\x01'

// wordlessTerm is the term of a situation element in which the analyzer finds none.
func wordlessTerm(element string) []byte {
	return append([]byte{wordless}, strings.ToLower(element)...)
}

// language begins the term that documents of a language other than English have; its tag follows.
const language = '\x02'

// languageTerm is the term of the documents of a language.
func languageTerm(l detect.Language) string { return string(language) + l.String() }

// headStep is the number of terms from one in [lexicon.heads] to the next.
const headStep = 32

// find returns the number of a term.
func (x *lexicon) find(term string) (uint32, bool) {
	from, to := x.around(term)
	i := from + sort.Search(to-from, func(i int) bool { return string(x.terms.at(from+i)) >= term })
	return uint32(i), i < x.terms.len() && string(x.terms.at(i)) == term
}

// around returns the range that a term lies in, or would. A list of every headStep-th term keeps a lookup in a large dictionary within a few
// cache lines. Cost: a pass over those terms at the first call.
func (x *lexicon) around(term string) (from, to int) {
	heads := x.heads.Load()
	if heads == nil {
		list := make([]uint64, 0, x.terms.len()/headStep+1)
		for i := 0; i < x.terms.len(); i += headStep {
			list = append(list, headOf(x.terms.at(i)))
		}
		heads = &list
		x.heads.Store(heads)
	}
	h := headOf(term)
	first, _ := slices.BinarySearch(*heads, h)
	last := first
	for last < len(*heads) && (*heads)[last] == h {
		last++
	}
	return max(0, first-1) * headStep, min(last*headStep, x.terms.len())
}

// headOf returns the first 8 bytes of a term as a number, which has the order of the terms.
func headOf[T string | []byte](term T) uint64 {
	var b [8]byte
	copy(b[:], term)
	return binary.BigEndian.Uint64(b[:])
}

// postings returns where a term occurs.
func (x *lexicon) postings(id uint32) list {
	return list{posts: x.posts.at(int(id)), rare: x.rare.at(int(id)), shapes: &x.shapes}
}

// docOf returns the document of the posting at the beginning of b.
func docOf(b []byte) uint32 { return binary.LittleEndian.Uint32(b) >> 8 }

// len is the number of postings.
func (l list) len() int { return len(l.posts) / postSize }

// in counts the postings of documents that are in ranges and in a set.
func (l list) in(ranges []docRange, set docSet) int {
	n, b := 0, l.posts
	for _, r := range ranges {
		b = b[from(b, r.from):]
		for ; len(b) >= postSize && docOf(b) < r.to; b = b[postSize:] {
			if set.has(docOf(b)) {
				n++
			}
		}
	}
	return n
}

// within returns the postings of a range of documents. Cost: two binary searches, and a pass over those before if some are rare.
func (l list) within(r docRange) list {
	l = l.startingAt(r.from)
	l.posts = l.posts[:from(l.posts, r.to)]
	return l
}

// startingAt returns the postings of a document and those after it. Cost: a binary search, and a pass over those before if some are rare.
func (l list) startingAt(doc uint32) list {
	first := from(l.posts, doc)
	if len(l.rare) > 0 {
		skipped := 0
		for b := l.posts[:first]; len(b) >= postSize; b = b[postSize:] {
			if b[0] == 0 {
				skipped += rareSize
			}
		}
		l.rare = l.rare[skipped:]
	}
	l.posts = l.posts[first:]
	return l
}

// from returns where the postings begin of a document and those after it, in bytes.
func from(posts []byte, doc uint32) int {
	return postSize * sort.Search(len(posts)/postSize, func(i int) bool { return docOf(posts[i*postSize:]) >= doc })
}

// rareCounts decodes an entry of [list.rare].
func rareCounts(b []byte) (c bm25.Counts) {
	for f := range c {
		c[f] = binary.LittleEndian.Uint32(b[4*f:])
	}
	return c
}

// appendCounts appends an entry of [list.rare].
func appendCounts(rare []byte, c bm25.Counts) []byte {
	for _, n := range c {
		rare = binary.LittleEndian.AppendUint32(rare, n)
	}
	return rare
}

// needle is what to look for within terms. Stems lack the e that words end in (database:
// databas), so a needle that ends in e also matches without it at the end of a term.
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

// containing calls f with every term that contains a needle. It searches the dictionary as
// one text, which is faster than asking each term; what it finds across two terms is skipped.
func (x *lexicon) containing(part needle, f func(id uint32)) {
	text := []byte(part.text)
	for from := 0; ; {
		i := bytes.Index(x.terms.data[from:], text)
		if i < 0 {
			return
		}
		pos := uint32(from + i)
		id := sort.Search(x.terms.len(), func(i int) bool { return x.terms.ends[i+1] > pos })
		start, end := x.terms.ends[id], x.terms.ends[id+1]
		after := pos + uint32(len(text))
		if after > end || part.e && after < end && x.terms.data[after] != 'e' {
			from = int(pos) + 1
			continue
		}
		if x.terms.data[start] > ' ' {
			f(uint32(id))
		}
		from = int(end)
	}
}

// intersect calls f with the documents that all lists hold, until f returns false. The
// lists are cut as they are read.
func intersect(lists [][]byte, f func(doc uint32) bool) {
	for b := lists[0]; len(b) >= postSize; b = b[postSize:] {
		if doc := docOf(b); inAll(lists[1:], doc) && !f(doc) {
			return
		}
	}
}

// inAll reports whether a document is in all lists, and drops what comes before it: it is
// asked for ascending documents.
func inAll(lists [][]byte, doc uint32) bool {
	for i, b := range lists {
		if lists[i] = skip(b, doc); len(lists[i]) == 0 || docOf(lists[i]) != doc {
			return false
		}
	}
	return true
}

// skip returns the postings of a document and those after it. The place is near as a rule, so it is found by galloping.
func skip(posts []byte, doc uint32) []byte {
	n, step := len(posts)/postSize, 1
	for step < n && docOf(posts[step*postSize:]) < doc {
		step *= 2
	}
	at := sort.Search(min(step+1, n), func(k int) bool { return docOf(posts[k*postSize:]) >= doc })
	return posts[at*postSize:]
}

// appendElement appends one element of a situation to the encoding of a document's: the
// number of its distinct terms, then their numbers, ascending, each as the difference to the
// one before; all uvarints.
func appendElement(b []byte, sorted []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(sorted)))
	last := uint32(0)
	for _, id := range sorted {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	return b
}

// nextElement decodes the first element of b into ids and returns the rest, which is empty
// at the end, and where b is not well-formed.
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

// uvarint32 reads a uvarint at b[at] and returns it and where it ends, at most len(b).
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
