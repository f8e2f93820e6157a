package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hippo-memory/hippo"
)

// A snapshot is the file of an index up to the end of its root, a CRC-32C of each block of it, and a trailer: the size of the file,
// 8 bytes, little endian as all here; the CRC-32C of the sums and the size, 4; and the letters "HIPPOEND". So all bytes are
// verified before a snapshot is used, those of sections without a checksum as well.
const (
	blockSize    = 1 << 20
	trailerSize  = 8 + 4 + len(trailerMagic)
	trailerMagic = "HIPPOEND"
)

// packed is a snapshot of a file that others may append to meanwhile: nothing that its root refers to is overwritten.
type packed struct {
	file   *os.File
	header []byte
	size   int64 // of the file up to the end of the root
	end    []byte
	root   root
}

// pack returns the present state of a file as a snapshot, and its root. The caller closes it. Cost: a pass over the file.
func pack(path string) (p *packed, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // it was only read
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p = &packed{file: f, header: make([]byte, headerSize)}
	if _, err := f.ReadAt(p.header, 0); err != nil {
		return nil, err
	}
	h, err := decodeHeader(p.header, info.Size())
	if err != nil {
		return nil, err
	}
	if p.root, err = rootAt(f, &h); err != nil {
		return nil, err
	}
	p.size = h.root.Offset + h.root.Length
	sums, err := blockSums(p, p.size)
	if err != nil {
		return nil, err
	}
	p.end = appendTrailer(sums, p.size)
	return p, nil
}

// ReadAt implements [io.ReaderAt] for the snapshot.
func (p *packed) ReadAt(b []byte, at int64) (n int, err error) {
	if at < headerSize {
		n = copy(b, p.header[at:])
	}
	if from := at + int64(n); n < len(b) && from < p.size {
		m, err := p.file.ReadAt(b[n:min(len(b), n+int(p.size-from))], from)
		if n += m; err != nil {
			return n, err
		}
	}
	if from := at + int64(n) - p.size; n < len(b) && from >= 0 && from < int64(len(p.end)) {
		n += copy(b[n:], p.end[from:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// reader reads the snapshot.
func (p *packed) reader() *io.SectionReader {
	return io.NewSectionReader(p, 0, p.size+int64(len(p.end)))
}

// blockSums returns the checksums of the blocks of the first bytes of a file.
func blockSums(f io.ReaderAt, size int64) ([]byte, error) {
	var sums []byte
	block := make([]byte, blockSize)
	for at := int64(0); at < size; at += blockSize {
		b := block[:min(blockSize, size-at)]
		if n, err := f.ReadAt(b, at); n < len(b) {
			return nil, errors.Join(io.ErrUnexpectedEOF, err)
		}
		sums = binary.LittleEndian.AppendUint32(sums, checksum(b))
	}
	return sums, nil
}

// appendTrailer completes the end of a snapshot, which begins with the checksums of the blocks.
func appendTrailer(sums []byte, size int64) []byte {
	b := binary.LittleEndian.AppendUint64(sums, uint64(size))
	b = binary.LittleEndian.AppendUint32(b, checksum(b))
	return append(b, trailerMagic...)
}

// unpack verifies a snapshot and makes it a file of an index. Cost: a pass over the file.
func unpack(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	trailer := make([]byte, trailerSize)
	if info.Size() < int64(headerSize+trailerSize) {
		return fmt.Errorf("a snapshot of %d bytes: %w", info.Size(), hippo.ErrCorrupt)
	}
	if _, err := f.ReadAt(trailer, info.Size()-int64(trailerSize)); err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint64(trailer))
	blocks := (size + blockSize - 1) / blockSize
	if !bytes.HasSuffix(trailer, []byte(trailerMagic)) || size < headerSize || size > info.Size() || size+4*blocks+int64(trailerSize) != info.Size() {
		return fmt.Errorf("a snapshot that is not whole: %w", hippo.ErrCorrupt)
	}
	end := make([]byte, 4*blocks+int64(trailerSize))
	if _, err := f.ReadAt(end, size); err != nil {
		return err
	}
	sums, err := blockSums(f, size)
	if err != nil {
		return err
	}
	if !bytes.Equal(end, appendTrailer(sums, size)) {
		return fmt.Errorf("a snapshot with wrong checksums: %w", hippo.ErrCorrupt)
	}
	return f.Truncate(size)
}

// form names what can read the file: the version of the format, and a hash of what a file must have been built with. It is the name of
// snapshots, so that programs of two versions do not take them from each other.
func (o *Options) form() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %v %q", o.Analyzer.Name(), *o.Params, o.tokensName())
	h.Write(binary.NativeEndian.AppendUint32(nil, orderMark))
	return fmt.Sprintf("%d-%x", version, h.Sum(nil)[:4])
}
