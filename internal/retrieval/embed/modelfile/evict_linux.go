package modelfile

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Evictor returns a function that takes the pages of b out of the memory of this process until they are read
// again, which costs about 2 us for each 16 pages that the cache of the system has. It does so on Linux, if b lies in a mapping of
// a file that cannot be written, as the constants of a program do: nothing is lost. Else the function does nothing.
// It may run while others read b.
func Evictor(b []byte) func() {
	pages := sync.OnceValue(func() []byte {
		maps, err := os.ReadFile("/proc/self/maps")
		if whole := wholePages(b); err == nil && mapped(string(maps), whole) {
			return whole
		}
		return nil
	})
	return func() {
		if p := pages(); len(p) > 0 {
			_ = unix.Madvise(p, unix.MADV_DONTNEED) // advice only
		}
	}
}

// wholePages returns the pages that b has all bytes of.
func wholePages(b []byte) []byte {
	page := os.Getpagesize()
	skip := (page - int(address(b)%uintptr(page))) % page
	if len(b) < skip+page {
		return nil
	}
	return b[skip : skip+(len(b)-skip)/page*page]
}

// mapped reports whether b lies in one mapping of a file without the right to write, by the text of
// /proc/self/maps; see proc_pid_maps(5).
func mapped(maps string, b []byte) bool {
	first := address(b)
	for line := range strings.Lines(maps) {
		var from, to uintptr
		var rights, offset, device, inode string
		if _, err := fmt.Sscanf(line, "%x-%x %s %s %s %s", &from, &to, &rights, &offset, &device, &inode); err != nil {
			return false
		}
		if from <= first && first < to {
			return uintptr(len(b)) <= to-first && inode != "0" && !strings.Contains(rights, "w")
		}
	}
	return false
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
