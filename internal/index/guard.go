package index

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/hippo-memory/hippo"
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
// of the program.
type mappings struct {
	mu     sync.Mutex
	ranges map[uintptr]int // length by address
}

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
	if m.ranges == nil {
		m.ranges = make(map[uintptr]int)
	}
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

// ErrDamaged means that the file of the index was cut short, or cannot be read, while it was
// in use. The index was emptied; the next catch-up rebuilds it.
var ErrDamaged = errors.New("the index file was damaged while it was in use")

// Guard runs f, which uses results of [Index.Search]. If the file of the index turns out to be
// damaged meanwhile, Guard empties the index and returns [ErrDamaged]; what f did until then
// is lost, and f may be run again after a catch-up.
func (x *Index) Guard(f func() error) error { return x.upkeep.guard(f) }

// guard turns a panic that a damaged file causes into an error, and empties the index.
func (u *upkeep) guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		failed, ok := r.(runtime.Error)
		if !ok || !u.damaged(failed) {
			panic(r)
		}
		u.discard(failed)
		err = fmt.Errorf("index: %w: %w", ErrDamaged, hippo.ErrUnavailable)
	}()
	return f()
}

// damaged reports whether the file is to blame for a panic: for a fault in it, because it was
// cut short, or because somebody else has overwritten it.
func (u *upkeep) damaged(r runtime.Error) bool {
	fault, ok := r.(interface{ Addr() uintptr })
	return ok && u.file.mappings.has(fault.Addr()) || u.file.changed()
}

// discard empties the index and deletes the file.
func (u *upkeep) discard(reason error) {
	u.opts.Log.Warn("index: rebuilding it", "path", u.opts.Path, "reason", reason)
	u.edit(func(d *draft) { d.reset("", d.models) })
	u.file.forget()
}
