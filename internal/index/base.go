package index

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// base is the immutable segment: flat bytes, on the heap or mapped from the
// snapshot. Its documents are in the order of their IDs, its terms sorted.
// A mapping lives as long as the base does, see [mapFile]: who keeps a slice
// must keep the base.
type base struct {
	n, words int // documents, terms
	// Offsets are uint32, little-endian, one more than there are things.
	dict, dictEnds  []byte // the terms, one after the other
	posts, postEnds []byte // the lists
	rare, rareEnds  []byte
	elems, elemEnds []byte // situations
	// The pieces of the texts, see [View.Pieces].
	forward, forwardEnds []byte
	shapes               shapes
}

// emptyBase returns a base without documents.
func emptyBase() *base {
	zero := make([]byte, 4)
	return &base{dictEnds: zero, postEnds: zero, rareEnds: zero, elemEnds: zero, forwardEnds: zero}
}

func (b *base) docs() int  { return b.n }
func (b *base) terms() int { return b.words }

// at returns the i-th number of a table.
func at(table []byte, i int) uint32 { return binary.LittleEndian.Uint32(table[4*i:]) }

// span returns the i-th thing of data.
func span(data, ends []byte, i int) []byte { return data[at(ends, i):at(ends, i+1)] }

func (b *base) find(term string) (uint32, bool) {
	i := sort.Search(b.words, func(i int) bool { return string(span(b.dict, b.dictEnds, i)) >= term })
	if i == b.words || string(span(b.dict, b.dictEnds, i)) != term {
		return 0, false
	}
	return uint32(i), true
}

func (b *base) term(id uint32) []byte { return span(b.dict, b.dictEnds, int(id)) }

func (b *base) postings(id uint32) list {
	return list{
		posts:  span(b.posts, b.postEnds, int(id)),
		rare:   span(b.rare, b.rareEnds, int(id)),
		shapes: &b.shapes,
	}
}

func (b *base) elements(doc uint32) []byte { return span(b.elems, b.elemEnds, int(doc)) }

// containing searches the dictionary as one text, which is faster than asking
// each term; what it finds across two terms does not count.
func (b *base) containing(part needle, f func(uint32)) {
	text := []byte(part.text)
	for from := 0; ; {
		i := bytes.Index(b.dict[from:], text)
		if i < 0 {
			return
		}
		pos := uint32(from + i)
		id := sort.Search(b.words, func(i int) bool { return at(b.dictEnds, i+1) > pos })
		start, end := at(b.dictEnds, id), at(b.dictEnds, id+1)
		after := pos + uint32(len(text))
		if after > end || !part.at(b.dict[after:end]) {
			from = int(pos) + 1
			continue
		}
		if b.dict[start] != wordless {
			f(uint32(id))
		}
		from = int(end)
	}
}
