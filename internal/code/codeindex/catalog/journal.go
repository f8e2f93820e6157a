package catalog

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// The file begins with a line, magic and the version of its content, and the name of the store. In a file without that
// version, which programs wrote before there was one, it is 0. The last part of magic is the version of the format.
const magic = family + "3"

// family begins the files of all versions.
const family = "hippo code catalog "

// storeSize is the length of the name of a store.
const storeSize = 32

// Content is the version of what parsers and chunks make of files. A catalog of another version answers as it is, and
// the next update reads all files again.
const Content = 2

// head returns the beginning of the file of a catalog.
func head(c *Catalog) []byte {
	return fmt.Appendf(nil, "%s %d\n%s", magic, c.Content, c.Store)
}

// cutHead returns an empty catalog by the beginning of a file, and what is behind that.
func cutHead(path string, b []byte) (c *Catalog, rest []byte, err error) {
	line, rest, ended := bytes.Cut(b, []byte("\n"))
	if !ended || !bytes.HasPrefix(line, []byte(family)) {
		return nil, nil, problem(path, "it is no catalog")
	}
	content := 0
	if version := string(line[min(len(line), len(magic)):]); version != "" {
		content, err = strconv.Atoi(strings.TrimPrefix(version, " "))
	}
	switch {
	case err != nil || !bytes.HasPrefix(line, []byte(magic)):
		return nil, nil, fmt.Errorf("code catalog: %w: %s", ErrFormat, path)
	case len(rest) < storeSize:
		return nil, nil, problem(path, "it is cut off")
	}
	return newCatalog(string(rest[:storeSize]), content), rest[storeSize:], nil
}

// frameHead is a length and a checksum (CRC-32C) of what follows, four bytes each, little-endian.
const frameHead = 8

// The kinds of frames.
const (
	frameEntry  = 'F'
	frameStamp  = 'T' // another size and time of a file, with the same content
	frameCommit = 'C'
)

// Journal is the file of a catalog. One process at a time writes it.
type Journal struct {
	path string
	// good is where the last update that was completed ends.
	good int64
	// damaged is where the last update that was completed ends, if anything is behind it; 0: nothing is.
	damaged int64
}

// Create makes an empty catalog, in place of what was there.
func Create(path string) (*Journal, *Catalog, error) {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	c := newCatalog(hex.EncodeToString(id[:]), Content)
	b := head(c)
	if err := atomicfile.Write(path, b); err != nil {
		return nil, nil, fmt.Errorf("code catalog: %w", err)
	}
	return &Journal{path: path, good: int64(len(b))}, c, nil
}

// ErrFormat is the error of a catalog that another version of the program wrote and this one cannot read.
var ErrFormat = fmt.Errorf("%w: it has the format of another version", hippo.ErrUnavailable)

// Open reads a catalog: the state after the last update that was completed. The error is
// [hippo.ErrNotFound], [ErrFormat], or [hippo.ErrCorrupt] of what is no catalog.
func Open(path string) (*Journal, *Catalog, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("code catalog: %w: %s", hippo.ErrNotFound, path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("code catalog: %w", err)
	}
	c, rest, err := cutHead(path, b)
	if err != nil {
		return nil, nil, err
	}
	j := &Journal{path: path, good: int64(len(b) - len(rest))}
	j.replay(c, rest)
	if j.good < int64(len(b)) {
		j.damaged = j.good
	}
	return j, c, nil
}

// Changed reports whether the file is not as long as it was when it was read, or is gone.
func (j *Journal) Changed() bool {
	info, err := os.Stat(j.path)
	return err != nil || info.Size() != j.good
}

// replay applies the updates that are complete.
func (j *Journal) replay(c *Catalog, b []byte) {
	var pending []*Entry
	at := j.good
	for {
		payload, size, ok := frame(b)
		if !ok {
			return
		}
		b, at = b[size:], at+int64(size)
		switch {
		case payload[0] == frameEntry:
			e, err := decodeEntry(string(payload[1:]))
			if err != nil {
				return
			}
			pending = append(pending, e)
		case payload[0] == frameStamp:
			e, ok := decodeStamp(c, string(payload[1:]))
			if !ok {
				return
			}
			pending = append(pending, e)
		case payload[0] == frameCommit && len(payload) == 17:
			for _, e := range pending {
				c.files[e.Path], c.byKey[fileKey(e.Path)] = e, e
			}
			c.Revision = hippo.Revision(binary.LittleEndian.Uint64(payload[1:]))
			c.Updated = time.Unix(0, int64(binary.LittleEndian.Uint64(payload[9:]))).UTC()
			pending, j.good = pending[:0], at
		default:
			return
		}
	}
}

// frame returns the payload of the first frame and its size with the head; not ok: it is not whole, or has another checksum.
func frame(b []byte) (payload []byte, size int, ok bool) {
	if len(b) < frameHead {
		return nil, 0, false
	}
	n, sum := int(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[4:])
	if n == 0 || n > len(b)-frameHead {
		return nil, 0, false
	}
	payload = b[frameHead : frameHead+n]
	if crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli)) != sum {
		return nil, 0, false
	}
	return payload, frameHead + n, true
}

func appendFrame(dst []byte, kind byte, payload []byte) []byte {
	from := len(dst)
	dst = append(dst, make([]byte, frameHead)...)
	dst = append(append(dst, kind), payload...)
	body := dst[from+frameHead:]
	binary.LittleEndian.PutUint32(dst[from:], uint32(len(body)))
	binary.LittleEndian.PutUint32(dst[from+4:], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return dst
}

// Commit appends a draft durably and returns the next state. What an update that was not completed
// left is overwritten.
func (j *Journal) Commit(d *Draft, now time.Time) (*Catalog, error) {
	var b []byte
	for _, e := range d.entries {
		if old := d.base.files[e.Path]; old != nil && old.First == e.First {
			b = appendFrame(b, frameStamp, encodeStamp(e))
		} else {
			b = appendFrame(b, frameEntry, encodeEntry(e))
		}
	}
	end := binary.LittleEndian.AppendUint64(nil, uint64(d.revision))
	b = appendFrame(b, frameCommit, binary.LittleEndian.AppendUint64(end, uint64(now.UnixNano())))
	if err := j.append(b); err != nil {
		return nil, fmt.Errorf("code catalog: %w", err)
	}
	return d.base.with(d.entries, d.revision, now.UTC()), nil
}

func (j *Journal) append(b []byte) (err error) {
	f, err := os.OpenFile(j.path, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Truncate(j.good); err != nil {
		return err
	}
	if _, err := f.WriteAt(b, j.good); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	j.good += int64(len(b))
	j.damaged = 0
	return nil
}

// Compact writes the state to a new file, without what was replaced, and returns its journal.
func Compact(c *Catalog, path string) (*Journal, error) {
	b := head(c)
	for _, e := range c.Since(0) {
		b = appendFrame(b, frameEntry, encodeEntry(e))
	}
	end := binary.LittleEndian.AppendUint64(nil, uint64(c.Revision))
	b = appendFrame(b, frameCommit, binary.LittleEndian.AppendUint64(end, uint64(c.Updated.UnixNano())))
	if err := atomicfile.Write(path, b); err != nil {
		return nil, fmt.Errorf("code catalog: %w", err)
	}
	return &Journal{path: path, good: int64(len(b))}, nil
}

// Damaged returns where the file was damaged or cut when it was read, in bytes, or where an update of it was interrupted: the updates from
// there on are lost. 0: none is. A file that was cut where an update ends looks like one without the later updates.
func (j *Journal) Damaged() int64 { return j.damaged }

// Cut reports whether the file is shorter than what was read of it or written to it, or gone.
func (j *Journal) Cut() bool {
	info, err := os.Stat(j.path)
	return err != nil || info.Size() < j.good
}

// Dir is the folder of the file.
func (j *Journal) Dir() string { return filepath.Dir(j.path) }

// Worn reports whether most of the file says what is not true any more. Small files are not worn.
func (j *Journal) Worn(c *Catalog) bool {
	const small = 4 << 20
	live := 0
	for _, e := range c.files {
		live += len(e.body)
	}
	return j.good > int64(max(small, 3*live))
}

// encodeStamp writes the size and the time of an entry.
func encodeStamp(e *Entry) []byte {
	x := &encoder{ids: make(map[string]uint64)}
	x.text(e.Path)
	x.number(int(e.Size))
	x.out = binary.AppendVarint(x.out, e.Modified.UnixNano())
	return x.seal()
}

// decodeStamp returns an entry of a state with what encodeStamp wrote.
func decodeStamp(c *Catalog, s string) (*Entry, bool) {
	d := &decoder{in: s}
	d.strings()
	path := d.text()
	size := d.number()
	nanos, n := binary.Varint([]byte(d.in))
	old := c.files[path]
	if d.bad || n <= 0 || old == nil {
		return nil, false
	}
	e := *old
	e.Size, e.Modified = int64(size), time.Unix(0, nanos)
	return &e, true
}

// encodeEntry writes an entry and its body.
func encodeEntry(e *Entry) []byte {
	x := &encoder{ids: make(map[string]uint64)}
	x.text(e.Path)
	x.text(string(e.Hash[:]))
	x.text(e.Language)
	x.number(int(e.Size))
	x.out = binary.AppendVarint(x.out, e.Modified.UnixNano())
	x.number(int(e.First))
	x.number(e.Chunks)
	x.number(e.Symbols)
	x.number(boolean(e.Deleted))
	x.number(len(e.Gone))
	for _, id := range e.Gone {
		x.out = append(x.out, id[:]...)
	}
	return append(x.seal(), e.body...)
}

func decodeEntry(s string) (*Entry, error) {
	d := &decoder{in: s}
	d.strings()
	e := &Entry{Path: d.text()}
	copy(e.Hash[:], d.text())
	e.Language = d.text()
	e.Size = int64(d.number())
	nanos, n := binary.Varint([]byte(d.in[:min(len(d.in), binary.MaxVarintLen64)]))
	if n <= 0 || d.bad {
		return nil, problem(e.Path, "its record cannot be read")
	}
	d.in = d.in[n:]
	e.Modified = time.Unix(0, nanos)
	e.First, e.Chunks, e.Symbols, e.Deleted = hippo.Revision(d.number()), d.number(), d.number(), d.number() != 0
	const size = len(hippo.ID{})
	gone := d.count()
	if d.bad || gone*size > len(d.in) {
		return nil, problem(e.Path, "its record cannot be read")
	}
	for range gone {
		e.Gone = append(e.Gone, hippo.ID([]byte(d.in[:size])))
		d.in = d.in[size:]
	}
	e.body = d.in
	return e, nil
}
