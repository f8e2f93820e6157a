//go:build !unix

package index

import (
	"io"
	"os"
)

// canMap reports whether files are mapped. Where a mapped file cannot be replaced they are
// read.
const canMap = false

// mapBytes reads a range of a file.
func mapBytes(f *os.File, from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	_, err := io.ReadFull(io.NewSectionReader(f, from, to-from), b)
	return b, err
}

func unmapBytes([]byte) {}

func dropBytes([]byte) {}
