package index

import (
	"encoding/binary"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/cue"
	"github.com/hippo-memory/hippo/internal/embed"
)

// MaxPieces is how many pieces of a memory are kept: about a page and a half.
const MaxPieces = 1024

// pieceSize is that of a piece in bytes, little-endian.
const pieceSize = 2

// Pieces appends the pieces of a document to dst: of its content, then of its situation
// and tags, the first [MaxPieces] of them; none if the index keeps none, see
// [Options]. A file that is damaged may hold any number below 65,536. Cost: about
// 1 ns a piece, and what the page cache takes where the bytes were not read before.
func (v *View) Pieces(dst []int32, doc uint32) []int32 {
	parts := v.x.parts()
	k, local := locate(parts, doc)
	for b := parts[k].pieces(local); len(b) >= pieceSize; b = b[pieceSize:] {
		dst = append(dst, int32(binary.LittleEndian.Uint16(b)))
	}
	return dst
}

// Cues returns what kind of thing the content of a document says.
func (v *View) Cues(doc uint32) cue.Cues {
	return cue.Cues(v.x.rows.hot[doc].flags >> cueShift & cueMask)
}

// appendPieces appends the pieces of a document to those of others, unless more than
// an offset can name would come of it: then the document has none.
func appendPieces(all, more []byte) []byte {
	if uint64(len(all))+uint64(len(more)) > math.MaxUint32 {
		return all
	}
	return append(all, more...)
}

// cutter makes pieces of texts.
type cutter struct {
	table  embed.TokenEmbedder // nil: makes none
	pieces []int32
	bytes  []byte
}

// name is that of the table.
func (c *cutter) name() string {
	if c.table == nil {
		return ""
	}
	return c.table.Vocabulary()
}

// of returns the pieces of a memory, until it is called again.
func (c *cutter) of(m *hippo.Memory) []byte {
	c.bytes = c.bytes[:0]
	if c.table == nil {
		return nil
	}
	c.pieces = c.table.Tokenize(c.pieces[:0], m.Content)
	for _, list := range [][]string{m.Situation, m.Tags} {
		for _, text := range list {
			c.pieces = c.table.Tokenize(c.pieces, text)
		}
	}
	for _, p := range c.pieces[:min(len(c.pieces), MaxPieces)] {
		c.bytes = binary.LittleEndian.AppendUint16(c.bytes, uint16(p))
	}
	return c.bytes
}

// The pieces of a segment lie one after the other, as those of situations do.

func (b *base) pieces(doc uint32) []byte { return span(b.forward, b.forwardEnds, int(doc)) }

func (d *delta) pieces(doc uint32) []byte {
	from := uint32(0)
	if doc > 0 {
		from = d.forwardEnds[doc-1]
	}
	return d.forward[from:d.forwardEnds[doc]]
}
