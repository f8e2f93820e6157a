package index

import (
	"encoding/binary"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/vector"
)

// spaceHeader describes the vectors of one model in a snapshot.
type spaceHeader struct {
	Model embed.Model `json:"model"`
	Rows  int         `json:"rows"`
}

// planes are the sections of one space: the document of each row, uint32, and
// the planes of the table.
type planes struct{ docs, hi, lo, scales []byte }

// blobs lists the sections of the i-th space.
func (p *planes) blobs(i int) []blob {
	name := fmt.Sprintf("space%d.", i)
	return []blob{
		{name: name + "docs", data: &p.docs},
		{name: name + "hi", data: &p.hi, bare: true},
		{name: name + "lo", data: &p.lo, bare: true},
		{name: name + "scales", data: &p.scales},
	}
}

// planesOf returns the sections of a space that was just merged.
func planesOf(v *moving) *planes {
	table := v.frozen()
	p := &planes{docs: make([]byte, 4*table.Len())}
	for d, r := range v.rowOf {
		if r != 0 {
			binary.LittleEndian.PutUint32(p.docs[4*(r-1):], uint32(d))
		}
	}
	p.hi, p.lo, p.scales = table.Planes()
	return p
}

// open returns the space; its table lies in the sections, which belong to b.
func (p *planes) open(h spaceHeader, docs int, b *base) (*space, error) {
	if h.Rows < 0 || h.Rows > docs || len(p.docs) != 4*h.Rows {
		return nil, fmt.Errorf("space %q: %d rows: %w", h.Model.ID, h.Rows, hippo.ErrCorrupt)
	}
	table, err := vector.Open(h.Model.Dimension, h.Rows, p.hi, p.lo, p.scales)
	if err != nil {
		return nil, fmt.Errorf("space %q: %w", h.Model.ID, err)
	}
	s := &space{model: h.Model, table: table, rowOf: make([]uint32, docs), file: b}
	for r := range h.Rows {
		d := at(p.docs, r)
		if int(d) >= docs || s.rowOf[d] != 0 {
			return nil, fmt.Errorf("space %q: row %d: %w", h.Model.ID, r, hippo.ErrCorrupt)
		}
		s.rowOf[d] = uint32(r) + 1
	}
	s.index()
	return s, nil
}
