package index

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

const (
	magic = "HIPPOIDX"
	// version of the format: 5, November 2026, with cues of names; 4 was without those, 3
	// without the pieces and the cues of contents, 2 without what replaces a superseded memory, 1
	// without vectors.
	version  = 5
	preamble = len(magic) + 3*4
	// maxHeader is far above what a header takes.
	maxHeader = 64 << 10
	align     = 8
)

// errStale is the reason for a snapshot that is sound and fits no more.
var errStale = errors.New("stale")

// header is the JSON at the beginning of a snapshot.
type header struct {
	Analyzer string         `json:"analyzer"`
	Params   bm25.Params    `json:"params"`
	Pieces   string         `json:"pieces"` // the table of the pieces; "": there are none
	Store    string         `json:"store"`
	Revision hippo.Revision `json:"revision"`
	Docs     int            `json:"docs"`
	Terms    int            `json:"terms"`
	Spaces   []spaceHeader  `json:"spaces"`
	Sections []section      `json:"sections"`
}

// section is one entry of the table; Offset counts from the end of the header,
// rounded up to 8.
type section struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	CRC    uint32 `json:"crc"`
}

// state is what a snapshot says beside the base.
type state struct {
	Store       string
	Revision    hippo.Revision
	changed     int
	names, rows []byte
	spaces      []*moving
	planes      []*planes // of spaces, as they were when the merge began
}

// blob is a section and its bytes.
type blob struct {
	name string
	data *[]byte
	// bare sections have no checksum: they are too large to be read at the start,
	// and no number in them leads a search astray.
	bare bool
}

// blobs lists the sections of a snapshot in their order in the file.
func (b *base) blobs(s *state, shapes *[]byte, spaces []*planes) []blob {
	list := []blob{
		{name: "names", data: &s.names},
		{name: "rows", data: &s.rows},
		{name: "shapes", data: shapes},
		{name: "dict", data: &b.dict},
		{name: "dict.ends", data: &b.dictEnds},
		{name: "posts", data: &b.posts},
		{name: "posts.ends", data: &b.postEnds},
		{name: "rare", data: &b.rare},
		{name: "rare.ends", data: &b.rareEnds},
		{name: "elems", data: &b.elems},
		{name: "elems.ends", data: &b.elemEnds},
		{name: "pieces", data: &b.forward, bare: true},
		{name: "pieces.ends", data: &b.forwardEnds},
	}
	for i, p := range spaces {
		list = append(list, p.blobs(i)...)
	}
	return list
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func roundUp(n int64) int64 { return (n + align - 1) / align * align }

// headerOf describes the snapshot of b and s.
func (x *Index) headerOf(s *state, b *base, list []blob) header {
	h := header{
		Analyzer: x.analyzer.Name(), Params: x.params, Pieces: x.cutter.name(),
		Store: s.Store, Revision: s.Revision, Docs: b.n, Terms: b.words,
	}
	for i, v := range s.spaces {
		h.Spaces = append(h.Spaces, spaceHeader{v.from.model, len(s.planes[i].docs) / 4})
	}
	offset := int64(0)
	for _, l := range list {
		n := int64(len(*l.data))
		sec := section{Name: l.name, Offset: offset, Length: n}
		if !l.bare {
			sec.CRC = checksum(*l.data)
		}
		h.Sections = append(h.Sections, sec)
		offset = roundUp(offset + n)
	}
	return h
}

// encode returns preamble and header, padded.
func (h *header) encode() ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	b := []byte(magic)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, checksum(text))
	b = append(b, text...)
	return append(b, make([]byte, roundUp(int64(len(b)))-int64(len(b)))...), nil
}

// decodeHeader reads the beginning of a snapshot; body is where the sections begin.
func decodeHeader(b []byte) (h header, body int64, err error) {
	if len(b) < preamble || string(b[:len(magic)]) != magic {
		return h, 0, fmt.Errorf("not a snapshot: %w", hippo.ErrCorrupt)
	}
	numbers := b[len(magic):]
	if v := binary.LittleEndian.Uint32(numbers); v != version {
		return h, 0, fmt.Errorf("format version %d, not %d: %w", v, version, errStale)
	}
	n := binary.LittleEndian.Uint32(numbers[4:])
	if n > maxHeader || int(n) > len(b)-preamble {
		return h, 0, fmt.Errorf("header is cut short: %w", hippo.ErrCorrupt)
	}
	text := b[preamble : preamble+int(n)]
	if checksum(text) != binary.LittleEndian.Uint32(numbers[8:]) {
		return h, 0, fmt.Errorf("header has a wrong checksum: %w", hippo.ErrCorrupt)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, 0, fmt.Errorf("header: %w", hippo.ErrCorrupt)
	}
	return h, min(roundUp(int64(preamble)+int64(n)), int64(len(b))), nil
}

// contents is what a snapshot holds.
type contents struct {
	base   *base
	rows   *rows
	spaces []*space
}

// decode reads a snapshot whole; the base and the spaces keep parts of file. The
// error is [hippo.ErrCorrupt].
func decode(file []byte, h *header, body int64) (*contents, error) {
	c, s := &contents{base: emptyBase()}, &state{}
	var shapes []byte
	spaces := make([]*planes, len(h.Spaces))
	for i := range spaces {
		spaces[i] = &planes{}
	}
	list := c.base.blobs(s, &shapes, spaces)
	if err := cut(file[body:], h.Sections, list); err != nil {
		return nil, err
	}
	c.base.n, c.base.words = h.Docs, h.Terms
	if h.Docs < 0 || h.Docs > maxDocs || h.Terms < 0 {
		return nil, fmt.Errorf("sizes: %w", hippo.ErrCorrupt)
	}
	wait := make(chan error)
	go func() { // the two halves take about as long
		err := sums(list[:2], h.Sections)
		if err == nil {
			c.rows, err = decodeRows(s.names, s.rows, h.Docs)
		}
		wait <- err
	}()
	err := sums(list[2:], h.Sections[2:])
	if err == nil {
		err = c.base.check(shapes)
	}
	if err = errors.Join(err, <-wait); err != nil {
		return nil, err
	}
	for i, p := range spaces {
		sp, err := p.open(h.Spaces[i], h.Docs, c.base)
		if err != nil {
			return nil, err
		}
		c.spaces = append(c.spaces, sp)
	}
	return c, nil
}

// cut gives each section its bytes.
func cut(body []byte, table []section, list []blob) error {
	if len(table) != len(list) {
		return fmt.Errorf("%d sections: %w", len(table), hippo.ErrCorrupt)
	}
	room := int64(len(body))
	for i, sec := range table {
		if sec.Name != list[i].name || sec.Offset < 0 || sec.Length < 0 || sec.Offset > room || sec.Length > room-sec.Offset {
			return fmt.Errorf("section %q does not fit: %w", sec.Name, hippo.ErrCorrupt)
		}
		*list[i].data = body[sec.Offset : sec.Offset+sec.Length : sec.Offset+sec.Length]
	}
	return nil
}

// sums verifies the checksums of sections.
func sums(list []blob, table []section) error {
	for i, l := range list {
		if !l.bare && checksum(*l.data) != table[i].CRC {
			return fmt.Errorf("section %s has a wrong checksum: %w", l.name, hippo.ErrCorrupt)
		}
	}
	return nil
}

// check verifies that the parts of a base fit each other, so that no search
// reaches outside of them whatever the file holds.
func (b *base) check(shapes []byte) error {
	if len(shapes) > 255*rareSize || len(shapes)%rareSize != 0 {
		return fmt.Errorf("section shapes: %w", hippo.ErrCorrupt)
	}
	for ; len(shapes) > 0; shapes = shapes[rareSize:] {
		b.shapes.used++
		b.shapes.counts[b.shapes.used] = rareCounts(shapes)
	}
	for _, t := range []struct {
		name       string
		data, ends []byte
		n, unit    int
	}{
		{"dict", b.dict, b.dictEnds, b.words, 1},
		{"posts", b.posts, b.postEnds, b.words, postSize},
		{"rare", b.rare, b.rareEnds, b.words, rareSize},
		{"elems", b.elems, b.elemEnds, b.n, 1},
		{"pieces", b.forward, b.forwardEnds, b.n, pieceSize},
	} {
		if !soundEnds(t.data, t.ends, t.n, t.unit) {
			return fmt.Errorf("section %s.ends: %w", t.name, hippo.ErrCorrupt)
		}
	}
	for i := range b.words {
		if len(b.term(uint32(i))) == 0 || !b.soundList(b.postings(uint32(i))) {
			return fmt.Errorf("section posts: %w", hippo.ErrCorrupt)
		}
	}
	return nil
}

// soundEnds reports whether ends are n+1 ascending offsets that cover data.
func soundEnds(data, ends []byte, n, unit int) bool {
	if len(ends) != 4*(n+1) || at(ends, 0) != 0 || int(at(ends, n)) != len(data) {
		return false
	}
	for i := range n {
		from, to := at(ends, i), at(ends, i+1)
		if from > to || (to-from)%uint32(unit) != 0 {
			return false
		}
	}
	return true
}

// soundList reports whether a list names ascending documents of the base, with
// an entry for each rare posting.
func (b *base) soundList(l list) bool {
	next, rare, codes := uint32(0), 0, uint32(b.shapes.used)
	for i := 0; i+postSize <= len(l.posts); i += postSize {
		p := binary.LittleEndian.Uint32(l.posts[i:])
		doc, code := p>>8, p&0xFF
		if doc < next || code > codes {
			return false
		}
		if code == 0 {
			rare++
		}
		next = doc + 1
	}
	return int(next) <= b.n && rare*rareSize == len(l.rare) && next > 0
}

// encodeShapes writes the counts that the codes 1, 2, ... stand for.
func encodeShapes(s *shapes) []byte {
	var b []byte
	for _, c := range s.counts[1 : s.used+1] {
		for _, n := range c {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	return b
}
