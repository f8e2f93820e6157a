//go:build unix

package index

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// canMap reports whether snapshots are mapped.
const canMap = true

// mapping is a file in memory.
type mapping struct{ data []byte }

// mapFile maps a file for reading. It stays readable when the file is replaced
// or deleted. Nobody may cut the file short: snapshots are only ever replaced.
func mapFile(path string) (data []byte, m *mapping, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("not a regular file")
	}
	if info.Size() == 0 {
		return nil, &mapping{}, nil
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	return data, &mapping{data}, err
}

// close unmaps.
func (m *mapping) close() {
	if m.data != nil {
		// Best effort: it fails for no mapping that we made.
		_ = unix.Munmap(m.data)
	}
}

// belongsTo unmaps when nobody uses b any more.
func (m *mapping) belongsTo(b *base) {
	runtime.AddCleanup(b, func(m *mapping) { m.close() }, m)
}

// syncDir makes a rename in a directory durable.
func syncDir(path string) (err error) {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.Sync()
}
