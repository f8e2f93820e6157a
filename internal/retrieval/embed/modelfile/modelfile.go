// Package modelfile reads what the files of packed models have in common: some letters that name the
// format, its version, a JSON header with a checksum, and sections that begin at multiples of 64 bytes.
//
//	letters  uint32 version  uint32 n  uint32 CRC-32C of the header  header: n bytes of JSON
//
// Numbers are little endian. Nothing is copied, so that a file that lies in the program is used there.
package modelfile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/hippo-memory/hippo"
)

const (
	maxHeader = 4 << 10
	align     = 64
)

// Format is a kind of file.
type Format struct {
	// Magic is the letters that a file begins with.
	Magic string
	// Version is the one that can be read.
	Version uint32
	// Name is how errors name it: "static model".
	Name string
}

// Header decodes the header of a file into a struct, and returns the offset of what comes after it. The
// error is [hippo.ErrCorrupt], or [hippo.ErrUnsupported] for another version.
func (f Format) Header(data []byte, into any) (body int, err error) {
	preamble := len(f.Magic) + 3*4
	if len(data) < preamble || string(data[:len(f.Magic)]) != f.Magic {
		return 0, fmt.Errorf("%w: not a %s", hippo.ErrCorrupt, f.Name)
	}
	numbers := data[len(f.Magic):]
	if v := binary.LittleEndian.Uint32(numbers); v != f.Version {
		return 0, fmt.Errorf("%w: %s of format %d, this program reads %d", hippo.ErrUnsupported, f.Name, v, f.Version)
	}
	n := binary.LittleEndian.Uint32(numbers[4:])
	if n > maxHeader || int(n) > len(data)-preamble {
		return 0, fmt.Errorf("%w: %s: header of %d bytes, at most %d of %d", hippo.ErrCorrupt, f.Name, n, maxHeader, len(data))
	}
	body = preamble + int(n)
	text := data[preamble:body]
	if checksum(text) != binary.LittleEndian.Uint32(numbers[8:]) {
		return 0, fmt.Errorf("%w: %s: header has a wrong checksum", hippo.ErrCorrupt, f.Name)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return 0, fmt.Errorf("%w: %s: header: %w", hippo.ErrCorrupt, f.Name, err)
	}
	return body, nil
}

// Section is a part of a file that has Size bytes.
type Section struct {
	Name string
	To   *[]byte
	Size int
}

// Sections sets the sections of a file to parts of its bytes, which end with the last one. The error is
// [hippo.ErrCorrupt].
func (f Format) Sections(data []byte, body int, list []Section) error {
	at := body
	for _, s := range list {
		at = (at + align - 1) / align * align
		if s.Size < 0 || at > len(data) || s.Size > len(data)-at {
			return fmt.Errorf("%w: %s: section %s is cut short", hippo.ErrCorrupt, f.Name, s.Name)
		}
		*s.To = data[at : at+s.Size : at+s.Size]
		at += s.Size
	}
	if at != len(data) {
		return fmt.Errorf("%w: %s: %d bytes after its end", hippo.ErrCorrupt, f.Name, len(data)-at)
	}
	return nil
}

// Verify returns [hippo.ErrCorrupt] unless what comes after the header has this checksum. Cost: 1 ms for
// some 10 MB.
func (f Format) Verify(body []byte, want uint32) error {
	if got := checksum(body); got != want {
		return fmt.Errorf("%w: %s: checksum %08x, want %08x", hippo.ErrCorrupt, f.Name, got, want)
	}
	return nil
}

// checksum is CRC-32C.
func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }
