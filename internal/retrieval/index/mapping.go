package index

import (
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// mapping is a mapped range of a file. It is unmapped when nothing refers to it any more.
type mapping struct{ data []byte }

// drop takes the pages out of memory after a pass over all of them, until they are read again.
func (m *mapping) drop() {
	if m != nil {
		dropBytes(m.data)
	}
}

// mappings knows the address ranges that are mapped, to tell a fault in a file from a fault
// of the program. It is an allocation of its own: each cleanup of a mapping refers to it until the mapping is collected, and
// what refers to the mappings must not come along.
type mappings struct {
	mu     sync.Mutex
	ranges map[uintptr]int // length by address
}

func newMappings() *mappings { return &mappings{ranges: make(map[uintptr]int)} }

// add maps a range of a file; from is rounded down to the page. It returns the bytes from
// from on.
func (m *mappings) add(f *os.File, from, to int64) ([]byte, *mapping, error) {
	if to <= from {
		return nil, nil, nil
	}
	start := from - from%int64(os.Getpagesize())
	data, err := mapBytes(f, start, to)
	if err != nil {
		return nil, nil, err
	}
	address := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	m.mu.Lock()
	m.ranges[address] = len(data)
	m.mu.Unlock()
	mapped := &mapping{data}
	runtime.AddCleanup(mapped, func(data []byte) {
		m.mu.Lock()
		delete(m.ranges, address)
		m.mu.Unlock()
		unmapBytes(data)
	}, data)
	return data[from-start:], mapped, nil
}

// has reports whether an address lies in a mapping.
func (m *mappings) has(address uintptr) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for from, n := range m.ranges {
		if address >= from && address < from+uintptr(n) {
			return true
		}
	}
	return false
}
