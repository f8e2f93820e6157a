package index

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/hippo-memory/hippo"
)

// The rows section holds one record a document: fixed numbers, then uvarints
// (signed ones zigzag), in the order of encodeRow. The names section holds the
// names in order of their numbers, each a uvarint length and its bytes.

// fixedRow is the size of the fixed part.
const fixedRow = 16 + 8 + 8 + 8 + 8 + 4 + 1

// Bits of the flags of a record, above those of a row.
const flagTimes = 1 << 7 // event, from and until follow

// encodeNames writes the names.
func encodeNames(n *names) []byte {
	var b []byte
	for _, s := range n.list {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// encodeRows writes all rows, with the accesses of original where it has some.
func encodeRows(r *rows, original map[hippo.ID][]use) []byte {
	b := make([]byte, 0, len(r.hot)*(fixedRow+32))
	for d := range r.hot {
		h := &r.hot[d]
		uses, ok := original[h.id]
		if !ok {
			uses = r.uses(h)
		}
		b = encodeRow(b, r, uint32(d), uses)
	}
	return b
}

func encodeRow(b []byte, r *rows, d uint32, uses []use) []byte {
	h, c := &r.hot[d], &r.cold[d]
	flags := h.flags
	times := c.event != 0 || c.from != 0 || c.until != 0
	if times {
		flags |= flagTimes
	}
	le := binary.LittleEndian
	b = append(b, h.id[:]...)
	b = le.AppendUint64(b, uint64(h.created))
	b = le.AppendUint64(b, math.Float64bits(h.importance))
	b = le.AppendUint64(b, c.text)
	b = le.AppendUint64(b, c.hash)
	b = le.AppendUint32(b, math.Float32bits(c.surprise))
	b = append(b, flags)
	b = binary.AppendVarint(b, c.updated-h.created)
	for _, n := range []uint32{
		h.namespace, h.project, h.kind, c.author, c.session,
		r.content[d], r.other[d][0], r.other[d][1],
	} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.AppendVarint(b, int64(h.setDay))
	b = binary.AppendVarint(b, int64(h.trust))
	b = binary.AppendVarint(b, c.seq)
	if times {
		b = binary.AppendVarint(b, c.event)
		b = binary.AppendVarint(b, c.from)
		b = binary.AppendVarint(b, c.until)
	}
	if flags&flagSuperseded != 0 {
		heir := r.heirs[h.id]
		b = append(b, heir[:]...)
	}
	for _, list := range [][]uint32{r.tags(c), r.elems(c)} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, t := range list {
			b = binary.AppendUvarint(b, uint64(t))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(uses)))
	for _, u := range uses {
		b = binary.AppendVarint(b, int64(u.day))
		b = binary.AppendVarint(b, int64(u.count))
	}
	return b
}

// reader takes numbers from bytes; after the first that is not there, bad is set
// and the rest is worthless. A position instead of a shrinking slice keeps the
// garbage collector's write barrier out of the loop.
type reader struct {
	b   []byte
	pos int
	bad bool
}

func (r *reader) uint() uint64 {
	if r.pos < len(r.b) && r.b[r.pos] < 0x80 { // most numbers are small
		r.pos++
		return uint64(r.b[r.pos-1])
	}
	v, n := binary.Uvarint(r.b[r.pos:])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.pos += n
	return v
}

func (r *reader) int() int64 {
	v := r.uint()
	return int64(v>>1) ^ -int64(v&1)
}

// name reads the number of one of n names.
func (r *reader) name(n int) uint32 {
	v := r.uint()
	if v >= uint64(n) {
		r.bad = true
		return 0
	}
	return uint32(v)
}

func (r *reader) take(n int) []byte {
	if len(r.b)-r.pos < n {
		r.bad = true
		return make([]byte, n)
	}
	r.pos += n
	return r.b[r.pos-n : r.pos]
}

func decodeNames(b []byte) (*names, bool) {
	text, r := string(b), &reader{b: b}
	var list []string
	for r.pos < len(b) {
		size := r.uint()
		if size > uint64(len(b)-r.pos) || r.bad {
			return nil, false
		}
		list = append(list, text[r.pos:r.pos+int(size)])
		r.pos += int(size)
	}
	return &names{list: list}, len(list) > 0 && list[0] == ""
}

// decodeRows reads n records.
func decodeRows(nameBytes, b []byte, n int) (*rows, error) {
	r := newRows()
	list, ok := decodeNames(nameBytes)
	if !ok || len(b) < n*fixedRow {
		return nil, fmt.Errorf("section names: %w", hippo.ErrCorrupt)
	}
	r.names = list
	r.hot, r.cold = make([]row, n), make([]detail, n)
	r.content, r.other = make([]uint32, n), make([][2]uint32, n)
	r.accesses = make([]use, 0, n+n/2)
	in := &reader{b: b}
	for d := range n {
		in.row(r, d)
		if in.bad || d > 0 && r.hot[d-1].id.Compare(r.hot[d].id) >= 0 {
			return nil, fmt.Errorf("section rows, record %d: %w", d, hippo.ErrCorrupt)
		}
		r.count(uint32(d), 1)
		r.spaces[r.hot[d].namespace]++
	}
	if in.pos < len(b) {
		return nil, fmt.Errorf("section rows is too long: %w", hippo.ErrCorrupt)
	}
	return r, nil
}

// row reads the record of document d.
func (r *reader) row(to *rows, d int) {
	h, c, n := &to.hot[d], &to.cold[d], len(to.names.list)
	f, le := r.take(fixedRow), binary.LittleEndian
	copy(h.id[:], f)
	h.created = int64(le.Uint64(f[16:]))
	h.importance = math.Float64frombits(le.Uint64(f[24:]))
	c.text, c.hash = le.Uint64(f[32:]), le.Uint64(f[40:])
	c.surprise = math.Float32frombits(le.Uint32(f[48:]))
	h.flags = f[52] &^ flagTimes
	c.updated = h.created + r.int()
	h.namespace, h.project, h.kind = r.name(n), r.name(n), r.name(n)
	c.author, c.session = r.name(n), r.name(n)
	to.content[d] = uint32(r.uint())
	to.other[d] = [2]uint32{uint32(r.uint()), uint32(r.uint())}
	h.setDay, h.trust, c.seq = int32(r.int()), int8(r.int()), r.int()
	if f[52]&flagTimes != 0 {
		c.event, c.from, c.until = r.int(), r.int(), r.int()
	}
	if h.flags&flagSuperseded != 0 {
		to.inherit(h.id, hippo.ID(r.take(len(hippo.ID{}))))
	}
	r.lists(to, h, c)
}

// lists reads tags, situation and accesses.
func (r *reader) lists(to *rows, h *row, c *detail) {
	c.labels = uint32(len(to.labels))
	c.tagCount = r.labels(to, hippo.MaxTags)
	c.elemCount = r.labels(to, hippo.MaxSituations)
	for _, name := range to.elems(c) {
		to.mark(name)
	}
	uses := r.uint()
	if uses > window {
		r.bad = true
		return
	}
	h.accesses, h.uses = uint32(len(to.accesses)), uint8(uses)
	for range uses {
		h.lastDay = int32(r.int())
		to.accesses = append(to.accesses, use{h.lastDay, int32(r.int())})
	}
}

// labels reads a list of names and returns its length, at most most.
func (r *reader) labels(to *rows, most uint64) uint8 {
	n := r.uint()
	if n > most {
		r.bad = true
		return 0
	}
	for range n {
		to.labels = append(to.labels, r.name(len(to.names.list)))
	}
	return uint8(n)
}
