// Package vectorfile keeps vectors of texts in a file, by a key of the text, so that what took a model minutes is not done again:
// after a kill, for a text that moved to another place, in another process. The file is a cache, which may be deleted.
//
// It begins with "HIPPOVEC", a version, the dimension and a hash of what made the vectors. Then records follow, which are only
// appended: the key, the number of passages, each passage as a scale and 16 bits a component, and a checksum. Reading ends at the
// first record that is not whole; writing goes on there. All numbers are little-endian.
package vectorfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

const (
	magic      = "HIPPOVEC"
	version    = 1
	headerSize = len(magic) + 4 + 4 + 8
	// recordHead is the size of a record before its passages, and sumSize that of its checksum.
	recordHead, sumSize = 8 + 2, 4
	maxPassages         = 1 << 10
)

// Vector holds the passages of a text, one after the other: a multiple of the dimension.
type Vector struct {
	Key    uint64
	Values []float32
}

// File is what a file held when it was read. It is for one goroutine.
type File struct {
	path string
	dim  int
	head []byte
	// records are those of the file, by key; whole is where the last whole one ends.
	records map[uint64][]byte
	whole   int64
}

// Read reads a file. One that is missing, damaged, or of another model or form is empty. form names how texts are made of
// what is embedded. The error is that of the file system.
func Read(path string, m embed.Model, form string) (*File, error) {
	f := &File{path: path, dim: m.Dimension, head: header(m, form), records: make(map[uint64][]byte)}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	if !bytes.HasPrefix(b, f.head) {
		return f, nil
	}
	rest := b[headerSize:]
	for {
		n := f.record(rest)
		if n == 0 {
			break
		}
		f.records[binary.LittleEndian.Uint64(rest)] = rest[:n:n]
		rest = rest[n:]
	}
	f.whole = int64(len(b) - len(rest))
	return f, nil
}

func header(m embed.Model, form string) []byte {
	sum := sha256.Sum256([]byte(m.ID + "\n" + form))
	b := binary.LittleEndian.AppendUint32([]byte(magic), version)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Dimension))
	return append(b, sum[:8]...)
}

// record returns the length of the record that a text begins with, 0 if it is not whole.
func (f *File) record(b []byte) int {
	if len(b) < recordHead {
		return 0
	}
	count := int(binary.LittleEndian.Uint16(b[8:]))
	n := recordHead + count*f.passageSize()
	if count == 0 || count > maxPassages || len(b) < n+sumSize || crc32.ChecksumIEEE(b[:n]) != binary.LittleEndian.Uint32(b[n:]) {
		return 0
	}
	return n + sumSize
}

func (f *File) passageSize() int { return 4 + 2*f.dim }

// Len is the number of texts.
func (f *File) Len() int { return len(f.records) }

// Get returns the passages of a text; nil: there are none.
func (f *File) Get(key uint64) []float32 {
	b := f.records[key]
	if b == nil {
		return nil
	}
	b = b[recordHead : len(b)-sumSize]
	out := make([]float32, 0, len(b)/f.passageSize()*f.dim)
	for ; len(b) > 0; b = b[f.passageSize():] {
		scale := math.Float32frombits(binary.LittleEndian.Uint32(b))
		for i := range f.dim {
			out = append(out, scale*float32(int16(binary.LittleEndian.Uint16(b[4+2*i:]))))
		}
	}
	return out
}

// Add appends vectors to the file. What is not whole at its end is overwritten; a file that was deleted or cut meanwhile is
// written again. One process adds at a time. The error is that of the file system; the file is as useful as before then.
func (f *File) Add(list []Vector) error {
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		err = errors.Join(f.add(file, list), file.Close())
	}
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	return nil
}

func (f *File) add(file *os.File, list []Vector) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	var b []byte
	if f.whole == 0 || info.Size() < f.whole {
		f.whole = 0
		b = append(b, f.head...)
		for _, r := range f.records {
			b = append(b, r...)
		}
	}
	begin := len(b)
	for _, v := range list {
		b = f.encode(b, v)
	}
	if err := file.Truncate(f.whole); err != nil {
		return err
	}
	if _, err := file.WriteAt(b, f.whole); err != nil {
		return err
	}
	f.whole += int64(len(b))
	for rest := b[begin:]; len(rest) > 0; {
		n := f.record(rest)
		f.records[binary.LittleEndian.Uint64(rest)] = rest[:n:n]
		rest = rest[n:]
	}
	return nil
}

// encode appends the record of a vector.
func (f *File) encode(b []byte, v Vector) []byte {
	const most = math.MaxInt16
	from := len(b)
	b = binary.LittleEndian.AppendUint64(b, v.Key)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(v.Values)/f.dim))
	for p := v.Values; len(p) > 0; p = p[f.dim:] {
		largest := float32(0)
		for _, x := range p[:f.dim] {
			largest = max(largest, x, -x)
		}
		scale := largest / most
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
		for _, x := range p[:f.dim] {
			n := int16(0)
			if scale > 0 {
				n = int16(math.Round(float64(x / scale)))
			}
			b = binary.LittleEndian.AppendUint16(b, uint16(n))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b[from:]))
}

// Keep replaces the file by one with these texts alone, if less than half of its texts are among them.
func (f *File) Keep(keys map[uint64]bool) error {
	kept := make(map[uint64][]byte, len(keys))
	b := bytes.Clone(f.head)
	for key, r := range f.records {
		if keys[key] {
			b = append(b, r...)
			kept[key] = r
		}
	}
	if 2*len(kept) >= len(f.records) {
		return nil
	}
	if err := atomicfile.Write(f.path, b); err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	f.records, f.whole = kept, int64(len(b))
	return nil
}
