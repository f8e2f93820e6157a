package index

import (
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// remap moves what was just written from the heap, or from where the file had it before, to the mapped file, and returns
// the saved parts by the segments of now. Where files are not mapped, nothing moves.
func (u *upkeep) remap(w *writer, s *snapshot, refs map[*segment]*savedPart) (map[*segment]*savedPart, error) {
	if !canMap || w.offset == w.start {
		return refs, nil
	}
	data, mapped, err := u.file.mappings.add(w.file, w.start, w.offset)
	if err != nil {
		return refs, err
	}
	moved := make(map[*segment]*segment)
	for _, p := range s.parts {
		if ref := refs[p.segment]; ref.static[0].Offset >= w.start {
			moved[p.segment] = remapSegment(p.segment, ref, data, w.start, mapped)
		}
	}
	out, old := make(map[*segment]*savedPart, len(refs)), make(map[*mapping]bool)
	u.edit(func(d *draft) {
		for i, p := range d.parts {
			ref := refs[p.segment]
			if ref == nil {
				continue // merged since
			}
			p = d.own(i)
			if to := moved[p.segment]; to != nil {
				old[p.file] = true
				p.segment = to
				p.stored.columns, p.shown.columns = &to.columns, &to.columns
				ref.rows = ref.mutable[:3]
				p.forgetChunks(ref)
				ref.chunks = p.stored.chunks
			}
			for k := range d.models {
				if file := p.vectors[k].file; p.vectors[k].remap(ref, d.models[k], data, w.start, mapped) {
					old[file] = true
				}
			}
			out[p.segment] = ref
		}
	})
	for file := range old {
		file.drop() // what is still read there comes back, what was moved does not
	}
	return out, nil
}

// at returns the bytes of a section, data beginning at start in the file.
func (s section) at(data []byte, start int64) []byte {
	return data[s.Offset-start : s.Offset-start+s.Length : s.Offset-start+s.Length]
}

// remapSegment returns a segment over the mapped file, whose rows are those that were saved.
func remapSegment(old *segment, ref *savedPart, data []byte, start int64, mapped *mapping) *segment {
	s := &segment{docs: old.docs, tenants: old.tenants, file: mapped}
	for i, f := range s.sections() {
		f.set(ref.static[i].at(data, start))
	}
	var m mutable
	for i, f := range m.sections() {
		f.set(ref.mutable[i].at(data, start))
	}
	s.columns.rows, s.columns.uses, s.columns.successors = m.rows, m.uses, m.successors
	s.elements.Store(old.elements.Load())
	s.ends.Store(old.ends.Load())
	return s
}

// forgetChunks drops the copies of rows that the segment now has.
func (p *part) forgetChunks(saved *savedPart) {
	for k, c := range p.stored.chunks {
		if c == nil || c != saved.chunks[k] {
			continue
		}
		if p.shown.chunks[k] == c {
			p.shown.chunks[k] = nil
		}
		p.stored.chunks[k] = nil
	}
}

// remap moves the rows that were saved to the mapped file, and reports whether there are any.
func (v *vectors) remap(ref *savedPart, m embed.Model, data []byte, start int64, mapped *mapping) (moved bool) {
	for _, saved := range ref.vectors {
		r := saved.root
		if r.Model != m || r.Sections[0].Offset < start || v.table.Len() < r.Rows {
			continue
		}
		var p planes
		for i, f := range p.sections() {
			f.set(r.Sections[i].at(data, start))
		}
		table, err := vector.Open(m.Dimension, r.Rows, p.hi, p.lo, p.scales)
		if err != nil {
			continue // the rows on the heap are as good
		}
		for row := r.Rows; row < v.table.Len(); row++ {
			table.AppendCode(v.table.At(uint32(row)))
		}
		v.table, v.file, moved = *table, mapped, true
	}
	return moved
}
