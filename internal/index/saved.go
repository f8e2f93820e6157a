package index

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/embed"
)

// savedPart is what the file has of a part, to write only what has changed since.
type savedPart struct {
	static, mutable []section
	chunks          []*rowChunk
	live, hidden    docSet
	vectors         []savedVectors
}

// savedVectors are the vectors of a part in the file.
type savedVectors struct {
	root  vectorRoot
	rowOf []uint32
}

// newSavedPart returns what a file has of a part that was just read from it.
func newSavedPart(p *part, r *partRoot) *savedPart {
	s := &savedPart{static: r.Static, mutable: r.Mutable, chunks: p.stored.chunks, live: p.live, hidden: p.hidden}
	for _, v := range r.Vectors {
		saved := savedVectors{root: v}
		for _, have := range p.vectors {
			if have.rowOf != nil && have.table.Dim() == v.Model.Dimension && have.table.Len() == v.Rows {
				saved.rowOf = have.rowOf
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
		if x.root.Model == m && x.root.Rows == v.table.Len() && slices.Equal(x.rowOf, v.rowOf) {
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
