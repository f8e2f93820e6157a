package index

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// savedPart is what the file has of a part, to write only what has changed since.
type savedPart struct {
	static, mutable []section
	rows            []section // the first three of mutable, as the segment has them mapped
	chunks          []*rowChunk
	live, hidden    docSet
	vectors         []savedVectors
}

// savedVectors are the vectors of a part in the file.
type savedVectors struct {
	root  vectorRoot
	docOf []uint32
}

// newSavedPart returns what a file has of a part that was just read from it.
func newSavedPart(p *part, r *partRoot) *savedPart {
	s := &savedPart{static: r.Static, mutable: r.Mutable, rows: r.Mutable[:3], chunks: p.stored.chunks, live: p.live, hidden: p.hidden}
	for _, v := range r.Vectors {
		saved := savedVectors{root: v}
		for _, have := range p.vectors {
			if have.rowOf != nil && have.table.Dim() == v.Model.Dimension && have.table.Len() == v.Rows {
				saved.docOf = have.docOf
			}
		}
		s.vectors = append(s.vectors, saved)
	}
	return s
}

// has returns the saved vectors of a model if they are the same.
func (s *savedPart) has(m embed.Model, v *vectors) (savedVectors, bool) {
	if s == nil {
		return savedVectors{}, false
	}
	for _, x := range s.vectors {
		if x.root.Model == m && x.root.Rows == v.table.Len() && slices.Equal(x.docOf, v.docOf) {
			return x, true
		}
	}
	return savedVectors{}, false
}

// used is how much of a file would still be referred to.
func used(s *snapshot, refs map[*segment]*savedPart) (n int64) {
	for _, p := range s.parts {
		r := refs[p.segment]
		if r == nil {
			continue
		}
		for _, list := range [][]section{r.static, r.mutable} {
			for _, s := range list {
				n += s.Length
			}
		}
		for _, v := range r.vectors {
			for _, s := range v.root.Sections {
				n += s.Length
			}
		}
	}
	return n
}

// intact reports whether the sections in use of the mapped file still have their checksums.
// Cost: a pass over them.
func (f *indexFile) intact(s *snapshot) (ok bool) {
	defer func() { ok = recover() == nil && ok }() // a fault
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range s.parts {
		if p.file == nil {
			continue
		}
		ref := f.refs[p.segment]
		if ref == nil { // of a file that has been replaced
			return false
		}
		c := &p.columns
		rows := mutable{rows: c.rows, uses: c.uses, successors: c.successors}
		if !haveChecksums(p.sections(), ref.static) || !haveChecksums(rows.sections()[:len(ref.rows)], ref.rows) {
			return false
		}
	}
	return true
}

// haveChecksums reports whether fields have the checksums of their sections.
func haveChecksums(fields []field, list []section) bool {
	for i, f := range fields {
		if !f.bare && checksum(f.get()) != list[i].CRC {
			return false
		}
	}
	return true
}
