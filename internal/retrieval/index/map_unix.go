//go:build unix

package index

import (
	"os"

	"golang.org/x/sys/unix"
)

// canMap reports whether files are mapped.
const canMap = true

// mapBytes maps a range of a file for reading; from is a multiple of the page size. The
// mapping stays readable when the file is replaced or deleted. If the file is cut short,
// reading beyond its end is a fault, see [upkeep.guardRead].
func mapBytes(f *os.File, from, to int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), from, int(to-from), unix.PROT_READ, unix.MAP_SHARED)
}

func unmapBytes(b []byte) { _ = unix.Munmap(b) } // it fails for no mapping of ours

// dropBytes takes mapped pages out of the memory of this process until they are read again.
func dropBytes(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) } // advice only
