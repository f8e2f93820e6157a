//go:build unix

package sqlitex

import (
	"os"

	"golang.org/x/sys/unix"
)

// sharesMaps reports whether processes can share memory by a file in a folder, which the index of a log needs. File systems of some
// containers and virtual machines, and some in user space, cannot.
func sharesMaps(dir string) bool {
	f, err := os.CreateTemp(dir, ".hippo-map-*")
	if err != nil {
		return true // what is wrong shows when the file is written
	}
	defer func() { _, _ = f.Close(), os.Remove(f.Name()) }()
	size := os.Getpagesize()
	if err := f.Truncate(int64(size)); err != nil {
		return true
	}
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return false
	}
	return unix.Munmap(b) == nil
}
