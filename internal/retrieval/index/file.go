package index

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// The file of an index, in the byte order of the machine; docs/formats.md has the same:
//
//	header   128 bytes: "HIPPOIDX", uint32 version, uint32 byte order mark, 16 bytes identity,
//	         two slots of 32 bytes
//	         slot: uint64 generation, uint64 offset and uint32 length of a root, uint32 CRC-32C of
//	         the root, uint32 CRC-32C of the slot up to here
//	sections at multiples of 64
//	roots    JSON, see [root]
//
// The slot with the higher generation counts; a save writes sections and a root at the end of
// the file and then the other slot, so that a crash leaves the old root in force. Nothing that
// a root refers to is ever overwritten.
const (
	magic = "HIPPOIDX"
	// version of the format: 16, documents by namespace and project; 15, vectors of the instant model by passage; 14, documents by namespace, and their sources; 13, a key of what a document says; 12, November 2026, rows tell bounds of the validity; 11, rows tell summaries; 10, feedback, and rows with their surprise; 9, several vectors a document,
	// and whether its text is foreign; 8, November 2026, cues of seven languages; 7, rows with the sum of their
	// accesses; 6, append-only with segments; up to 5 a file was one segment and replaced as a whole.
	version    = 16
	orderMark  = 0x01020304
	headerSize = 128
	slotSize   = 32
	firstSlot  = len(magic) + 4 + 4 + 16
	alignment  = 64
	maxRoot    = 64 << 20
)

// errStale is the reason for a file that is sound and does not fit.
var errStale = errors.New("stale")

// root describes the state of an index in its file.
type root struct {
	Analyzer string         `json:"analyzer"`
	Params   bm25.Params    `json:"params"`
	Tokens   string         `json:"tokens"` // name of the word pieces, "": there are none
	Store    string         `json:"store"`
	Revision hippo.Revision `json:"revision"`
	Used     hippo.Day      `json:"used,omitzero"` // see [snapshot]
	Parts    []partRoot     `json:"parts"`
	Feedback section        `json:"feedback,omitzero"` // see [lessons.encode]
}

// partRoot describes a part: its sections in the order of [segment.sections] and
// [mutableSections], and its vectors.
type partRoot struct {
	Docs    int          `json:"docs"`
	Static  []section    `json:"static"`
	Mutable []section    `json:"mutable"`
	Vectors []vectorRoot `json:"vectors"`
}

// vectorRoot describes the vectors of a part by one model.
type vectorRoot struct {
	Model    embed.Model `json:"model"`
	Rows     int         `json:"rows"`
	Sections []section   `json:"sections"`
}

// section is a range of the file. Those without a checksum (CRC 0) are too large to be read at
// the start, and no number in them leads a search astray.
type section struct {
	Offset int64  `json:"o"`
	Length int64  `json:"n"`
	CRC    uint32 `json:"c,omitempty"`
}

// identity distinguishes files of the same name.
type identity [16]byte

// header is the beginning of a file.
type header struct {
	identity   identity
	generation uint64
	root       section
}

// indexFile is the file of an index as this process knows it.
type indexFile struct {
	path     string
	mappings *mappings

	mu       sync.Mutex // guards what follows
	identity identity   // of the file that refs is about
	refs     map[*segment]*savedPart
	revision hippo.Revision
	info     os.FileInfo // when this process opened or wrote it last
}

// is notes what the file is after it was opened or written.
func (f *indexFile) is(id identity, refs map[*segment]*savedPart, r hippo.Revision, info os.FileInfo) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.identity, f.refs, f.revision, f.info = id, refs, r, info
}

// overwritten reports whether somebody else has written into the file other than by appending, as
// a save of another process does: a mapping shows that at once, as zeros where the file was cut
// within a page. A file that was replaced or deleted stays as it is in a mapping. Cost: a stat,
// and a read of the root after a save of another process.
func (f *indexFile) overwritten() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !canMap || f.info == nil {
		return false
	}
	info, err := os.Stat(f.path)
	if err != nil || !os.SameFile(info, f.info) || info.Size() == f.info.Size() && info.ModTime().Equal(f.info.ModTime()) {
		return false
	}
	if info.Size() < f.info.Size() || f.identity != identityOf(f.path) {
		return true
	}
	f.info = info
	return false
}

// identityOf reads the identity of a file; zero if it is none of an index.
func identityOf(path string) identity {
	f, err := os.Open(path)
	if err != nil {
		return identity{}
	}
	defer f.Close() //nolint:errcheck // it is only read
	h, _, _, err := readRoot(f)
	if err != nil {
		return identity{}
	}
	return h.identity
}

// savedRevision is the revision of the file, 0 if there is none.
func (f *indexFile) savedRevision() hippo.Revision {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revision
}

// size is that of the file in bytes when this process opened or wrote it last, 0 if there is none.
func (f *indexFile) size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.info == nil {
		return 0
	}
	return f.info.Size()
}

// forget deletes the file, unless another process has replaced it.
func (f *indexFile) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.info
	f.identity, f.refs, f.revision, f.info = identity{}, nil, 0, nil
	now, err := os.Stat(f.path)
	if err == nil && (known == nil || os.SameFile(now, known)) { // else it is a newer one
		_ = os.Remove(f.path) // what cannot be deleted is replaced by the next save
	}
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func roundUp(n int64) int64 { return (n + alignment - 1) / alignment * alignment }

// encodeHeader returns the header of a new file, whose slots are empty.
func encodeHeader(id identity) []byte {
	b := append(make([]byte, 0, headerSize), magic...)
	b = binary.NativeEndian.AppendUint32(b, version)
	b = binary.NativeEndian.AppendUint32(b, orderMark)
	b = append(b, id[:]...)
	return append(b, make([]byte, headerSize-len(b))...)
}

func newIdentity() (id identity) {
	_, _ = rand.Read(id[:]) // it never fails
	return id
}

// slot returns the bytes of a slot and its place in the file.
func (h *header) slot() (b []byte, at int64) {
	b = binary.NativeEndian.AppendUint64(nil, h.generation)
	b = binary.NativeEndian.AppendUint64(b, uint64(h.root.Offset))
	b = binary.NativeEndian.AppendUint32(b, uint32(h.root.Length))
	b = binary.NativeEndian.AppendUint32(b, h.root.CRC)
	b = binary.NativeEndian.AppendUint32(b, checksum(b))
	return b, int64(firstSlot) + int64(h.generation%2)*slotSize
}

// decodeHeader reads the header of a file of a size.
func decodeHeader(b []byte, size int64) (h header, err error) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return h, fmt.Errorf("not an index: %w", hippo.ErrCorrupt)
	}
	ne := binary.NativeEndian
	if v, order := ne.Uint32(b[len(magic):]), ne.Uint32(b[len(magic)+4:]); v != version || order != orderMark {
		return h, fmt.Errorf("format version %d, not %d: %w", v, version, errStale)
	}
	copy(h.identity[:], b[len(magic)+8:])
	for i := range 2 {
		s := b[firstSlot+i*slotSize:][:slotSize]
		generation := ne.Uint64(s)
		root := section{int64(ne.Uint64(s[8:])), int64(ne.Uint32(s[16:])), ne.Uint32(s[20:])}
		if generation > h.generation && checksum(s[:24]) == ne.Uint32(s[24:]) && root.fits(size) && root.Length <= maxRoot {
			h.generation, h.root = generation, root
		}
	}
	if h.generation == 0 {
		return h, fmt.Errorf("no root: %w", hippo.ErrCorrupt)
	}
	return h, nil
}

// fits reports whether a section lies in a file of a size.
func (s section) fits(size int64) bool {
	return s.Offset >= headerSize && s.Length >= 0 && s.Offset <= size && s.Length <= size-s.Offset
}

// decodeRoot reads a root.
func decodeRoot(b []byte, crc uint32) (r root, err error) {
	if checksum(b) != crc {
		return r, fmt.Errorf("the root has a wrong checksum: %w", hippo.ErrCorrupt)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("root: %w", hippo.ErrCorrupt)
	}
	return r, nil
}

// readRoot reads header and root of an open file.
func readRoot(f *os.File) (h header, r root, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return h, r, 0, err
	}
	if !info.Mode().IsRegular() {
		return h, r, 0, errors.New("not a regular file")
	}
	b := make([]byte, headerSize)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return h, r, 0, err
	}
	if h, err = decodeHeader(b, info.Size()); err != nil {
		return h, r, 0, err
	}
	r, err = rootAt(f, &h)
	return h, r, info.Size(), err
}

// rootAt reads the root of a file.
func rootAt(f io.ReaderAt, h *header) (root, error) {
	b := make([]byte, h.root.Length)
	if _, err := f.ReadAt(b, h.root.Offset); err != nil {
		return root{}, err
	}
	return decodeRoot(b, h.root.CRC)
}

// misfit reports why a root is of no use for this index and store.
func (o *Options) misfit(r *root, store string, revision hippo.Revision) error {
	switch {
	case r.Analyzer != o.Analyzer.Name() || r.Params != *o.Params || r.Tokens != o.tokensName():
		return fmt.Errorf("built with analyzer %q and word pieces %q, or other parameters: %w", r.Analyzer, r.Tokens, errStale)
	case r.Store != store:
		return fmt.Errorf("built for store %q, this is %q: %w", r.Store, store, errStale)
	case r.Revision > revision:
		return fmt.Errorf("revision %d is newer than the store's %d: %w", r.Revision, revision, errStale)
	}
	return nil
}
