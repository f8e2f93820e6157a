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
	// version of the format: 1, November 2026, the first.
	version  = 1
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
	Store    string         `json:"store"`
	Revision hippo.Revision `json:"revision"`
	Docs     int            `json:"docs"`
	Terms    int            `json:"terms"`
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
}

// blob is a section and its bytes.
type blob struct {
	name string
	data *[]byte
}

// blobs lists the sections of a snapshot in their order in the file.
func (b *base) blobs(s *state, shapes *[]byte) []blob {
	return []blob{
		{"names", &s.names},
		{"rows", &s.rows},
		{"shapes", shapes},
		{"dict", &b.dict},
		{"dict.ends", &b.dictEnds},
		{"posts", &b.posts},
		{"posts.ends", &b.postEnds},
		{"rare", &b.rare},
		{"rare.ends", &b.rareEnds},
		{"elems", &b.elems},
		{"elems.ends", &b.elemEnds},
	}
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func roundUp(n int64) int64 { return (n + align - 1) / align * align }

// headerOf describes the snapshot of b and s.
func (x *Index) headerOf(s *state, b *base, list []blob) header {
	h := header{
		Analyzer: x.analyzer.Name(), Params: x.params,
		Store: s.Store, Revision: s.Revision, Docs: b.n, Terms: b.words,
	}
	offset := int64(0)
	for _, l := range list {
		n := int64(len(*l.data))
		h.Sections = append(h.Sections, section{l.name, offset, n, checksum(*l.data)})
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
	return h, roundUp(int64(preamble) + int64(n)), nil
}

// decode reads a snapshot whole; the base keeps parts of file. The error is
// [hippo.ErrCorrupt].
func decode(file []byte, h *header, body int64) (*base, *rows, error) {
	b, s := emptyBase(), &state{}
	var shapes []byte
	list := b.blobs(s, &shapes)
	if len(h.Sections) != len(list) {
		return nil, nil, fmt.Errorf("%d sections: %w", len(h.Sections), hippo.ErrCorrupt)
	}
	room := int64(len(file)) - body
	for i, sec := range h.Sections {
		if sec.Name != list[i].name || sec.Offset < 0 || sec.Length < 0 || sec.Offset > room || sec.Length > room-sec.Offset {
			return nil, nil, fmt.Errorf("section %q does not fit: %w", sec.Name, hippo.ErrCorrupt)
		}
		from := body + sec.Offset
		*list[i].data = file[from : from+sec.Length : from+sec.Length]
	}
	b.n, b.words = h.Docs, h.Terms
	if b.n < 0 || b.n > maxDocs || b.words < 0 {
		return nil, nil, fmt.Errorf("sizes: %w", hippo.ErrCorrupt)
	}
	var r *rows
	wait := make(chan error)
	go func() { // the two halves take about as long
		err := sums(list[:2], h.Sections)
		if err == nil {
			r, err = decodeRows(s.names, s.rows, b.n)
		}
		wait <- err
	}()
	err := sums(list[2:], h.Sections[2:])
	if err == nil {
		err = b.check(shapes)
	}
	return b, r, errors.Join(err, <-wait)
}

// sums verifies the checksums of sections.
func sums(list []blob, table []section) error {
	for i, l := range list {
		if checksum(*l.data) != table[i].CRC {
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
