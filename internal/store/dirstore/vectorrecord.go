package dirstore

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// A file of vectors begins with a header, little endian like all of it:
//
//	0  CRC-32C of the rest of the header
//	4  "HVEC"
//	8  version of the format
//	12 dimension of the model
//	16 length of the model's name
//	20 name
//
// Records follow. A put has a float32 for each dimension at its end, a drop has
// none:
//
//	0  CRC-32C of the rest of the record
//	4  kind
//	5  1 if the next record belongs to the same write, else 0
//	6  0
//	8  hash of the text
//	16 ID
//	32 values
const (
	vectorHeader = 20
	vectorRecord = 32
	vectorMagic  = "HVEC"
	// vectorVersion is the version of the format. 1: the first.
	vectorVersion = 1
)

type vectorKind byte

const (
	kindVector vectorKind = 'V'
	kindDrop   vectorKind = 'D' // the memory was purged
)

// vectorPrefix begins the names of all files of vectors.
const vectorPrefix = "vectors-"

// vectorName returns the file of a model, whose name may hold anything.
func vectorName(model string) string {
	sum := sha256.Sum256([]byte(model))
	return fmt.Sprintf("%s/%s%x", stateDir, vectorPrefix, sum[:16])
}

// errVectors means that a file does not begin as a file of vectors does.
var errVectors = errors.New("not a file of vectors")

func appendVectorHeader(b []byte, model string, dimension int) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	b = append(b, vectorMagic...)
	b = binary.LittleEndian.AppendUint32(b, vectorVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(dimension))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(model)))
	b = append(b, model...)
	binary.LittleEndian.PutUint32(b[start:], checksum(b[start+4:]))
	return b
}

// readVectorHeader returns what the header says, or [errVectors].
func readVectorHeader(r io.Reader) (model string, dimension int, err error) {
	b := make([]byte, vectorHeader, vectorHeader+driver.MaxModelName)
	if err := readFull(r, b); err != nil {
		return "", 0, err
	}
	dimension = int(binary.LittleEndian.Uint32(b[12:]))
	n := binary.LittleEndian.Uint32(b[16:])
	if string(b[4:8]) != vectorMagic || binary.LittleEndian.Uint32(b[8:]) != vectorVersion || n > driver.MaxModelName ||
		dimension < 1 || dimension > driver.MaxDimension {
		return "", 0, errVectors
	}
	b = b[:vectorHeader+n]
	if err := readFull(r, b[vectorHeader:]); err != nil {
		return "", 0, err
	}
	if checksum(b[4:]) != binary.LittleEndian.Uint32(b) {
		return "", 0, errVectors
	}
	return string(b[vectorHeader:]), dimension, nil
}

// readFull takes a file that is too short for one that is no file of vectors.
func readFull(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errVectors
	}
	return err
}

// appendVector appends a put, or a drop if v has no values.
func appendVector(b []byte, v driver.Vector, more bool) []byte {
	k := kindVector
	if len(v.Values) == 0 {
		k = kindDrop
	}
	start := len(b)
	b = append(b, 0, 0, 0, 0, byte(k), flag(more), 0, 0)
	b = binary.LittleEndian.AppendUint64(b, v.Text)
	b = append(b, v.ID[:]...)
	for _, f := range v.Values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	binary.LittleEndian.PutUint32(b[start:], checksum(b[start+4:]))
	return b
}

// parseVector returns what a whole record of a put holds; false if it is broken.
func parseVector(b []byte) (driver.Vector, bool) {
	if vectorKind(b[4]) != kindVector || checksum(b[4:]) != binary.LittleEndian.Uint32(b) {
		return driver.Vector{}, false
	}
	v := driver.Vector{
		ID: hippo.ID(b[16:vectorRecord]), Text: binary.LittleEndian.Uint64(b[8:]),
		Values: make([]float32, (len(b)-vectorRecord)/4),
	}
	for i := range v.Values {
		v.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[vectorRecord+4*i:]))
	}
	return v, true
}

// place is where a file has the vector of a memory; 0: it has none any more.
type place struct {
	id hippo.ID
	at int64
}

// scanVectors reads records from r, which begin at the offset at, calls each with the
// places of every write that is whole, and returns the offset behind the last of
// them. What follows is a write that is going on, or was cut off.
func scanVectors(r io.Reader, at int64, dimension int, each func([]place)) (end int64, err error) {
	b := make([]byte, vectorRecord+4*dimension)
	var write []place
	for end = at; ; {
		n, err := readVectorRecord(r, b)
		if n == 0 || err != nil {
			return end, err
		}
		p := place{id: hippo.ID(b[16:vectorRecord])}
		if vectorKind(b[4]) == kindVector {
			p.at = at
		}
		write = append(write, p)
		at += int64(n)
		if b[5] == 0 {
			each(write)
			end, write = at, write[:0]
		}
	}
}

// readVectorRecord reads one record into b, which has room for a put, and returns
// its size; 0 at the end and for one that is not whole.
func readVectorRecord(r io.Reader, b []byte) (int, error) {
	n := vectorRecord
	err := readFull(r, b[:n])
	if err == nil && vectorKind(b[4]) == kindVector {
		n = len(b)
		err = readFull(r, b[vectorRecord:])
	}
	switch {
	case errors.Is(err, errVectors):
		return 0, nil
	case err != nil:
		return 0, err
	case vectorKind(b[4]) != kindVector && vectorKind(b[4]) != kindDrop, checksum(b[4:n]) != binary.LittleEndian.Uint32(b):
		return 0, nil
	}
	return n, nil
}
