package index

import (
	"fmt"

	"github.com/hippo-memory/hippo"
)

// field is something that is kept in a section: how to take its bytes, and how to set it.
type field struct {
	get func() []byte
	set func([]byte)
	// bare fields have no checksum.
	bare bool
}

func fieldOf[T fixed](list *[]T) field {
	return field{get: func() []byte { return bytesOf(*list) }, set: func(b []byte) { *list = view[T](b) }}
}

func bytesField(b *[]byte, bare bool) field {
	return field{get: func() []byte { return *b }, set: func(x []byte) { *b = x }, bare: bare}
}

// sections are the immutable fields of a segment, in the order of the file.
func (s *segment) sections() []field {
	l, c := &s.lexicon, &s.columns
	return []field{
		bytesField(&l.terms.data, false), fieldOf(&l.terms.ends),
		bytesField(&l.posts.data, false), fieldOf(&l.posts.ends),
		bytesField(&l.rare.data, false), fieldOf(&l.rare.ends),
		{get: func() []byte { return encodeShapes(&l.shapes) }, set: l.shapes.decode},
		bytesField(&s.names.data, false), fieldOf(&s.names.ends),
		fieldOf(&c.extras), fieldOf(&c.content), fieldOf(&c.other), fieldOf(&c.said), fieldOf(&c.labels),
		bytesField(&s.situations.data, false), fieldOf(&s.situations.ends),
		bytesField(&s.tokens.data, true), fieldOf(&s.tokens.ends),
		fieldOf(&s.sessions), fieldOf(&s.byID), fieldOf(&c.sources),
	}
}

// mutable holds the mutable columns of a part in one piece, and which documents are there.
type mutable struct {
	rows         []row
	uses         []use
	successors   []successor
	live, hidden []uint64
}

// sections are the fields, in the order of the file.
func (m *mutable) sections() []field {
	return []field{fieldOf(&m.rows), fieldOf(&m.uses), fieldOf(&m.successors), fieldOf(&m.live), fieldOf(&m.hidden)}
}

// mutableOf returns the mutable columns of a part as they are stored.
func mutableOf(p *part) *mutable {
	m := &mutable{rows: make([]row, p.docs), live: p.live, hidden: p.hidden}
	for d := range uint32(p.docs) {
		r, list := *p.stored.row(d), p.stored.uses(d)
		r.uses = useListOf(len(m.uses), list)
		m.rows[d], m.uses = r, append(m.uses, list...)
		if r.flags&flagSuperseded != 0 {
			m.successors = append(m.successors, successor{d, p.stored.successor(d)})
		}
	}
	return m
}

// planes are the fields of the vectors of a part: docOf, and the planes of the table.
type planes struct {
	docOf          []uint32
	hi, lo, scales []byte
}

func (p *planes) sections() []field {
	return []field{fieldOf(&p.docOf), bytesField(&p.hi, true), bytesField(&p.lo, true), bytesField(&p.scales, false)}
}

// encodeShapes writes the counts that the codes 1, 2, ... stand for.
func encodeShapes(s *shapes) []byte {
	list := make([]uint32, 0, s.used*len(s.counts[0]))
	for _, c := range s.counts[1 : s.used+1] {
		list = append(list, c[:]...)
	}
	return bytesOf(list)
}

func (s *shapes) decode(b []byte) {
	list := view[uint32](b)
	for s.used = 0; len(list) >= len(s.counts[0]) && s.used < len(s.counts)-1; list = list[len(s.counts[0]):] {
		s.used++
		copy(s.counts[s.used][:], list)
	}
}

// decode sets fields from the sections of a file. Sections with a checksum are verified.
func decode(file []byte, list []section, fields []field) error {
	if len(list) != len(fields) {
		return fmt.Errorf("%d sections, want %d: %w", len(list), len(fields), hippo.ErrCorrupt)
	}
	for i, s := range list {
		if !s.fits(int64(len(file))) {
			return fmt.Errorf("section %d does not fit: %w", i, hippo.ErrCorrupt)
		}
		b := file[s.Offset : s.Offset+s.Length : s.Offset+s.Length]
		if !fields[i].bare && checksum(b) != s.CRC {
			return fmt.Errorf("section %d has a wrong checksum: %w", i, hippo.ErrCorrupt)
		}
		fields[i].set(b)
	}
	return nil
}
