package dirstore

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// compactAbove is the size below which a file of vectors is not worth writing anew.
const compactAbove = 64 << 10

// vectorBuffer is how much is read or written at once, at most.
const vectorBuffer = 256 << 10

// vectorFile is a file of vectors as it was read last. The vectors stay on disk.
type vectorFile struct {
	disk *disk
	name string

	// file is kept open, so that no other can pass for it; nil if there is none, or
	// none of ours, and then the rest means nothing.
	file      *os.File
	info      fs.FileInfo
	model     string
	dimension int
	begin     int64 // of the records
	end       int64 // of the last write that is whole
	places    map[hippo.ID]int64
}

// moved reports whether others changed the file. Cost: one system call or two.
func (f *vectorFile) moved() bool {
	i, err := f.disk.root.Lstat(f.name)
	if err != nil {
		return f.file != nil || !errors.Is(err, fs.ErrNotExist)
	}
	return f.file == nil || i.Size() != f.end || !os.SameFile(i, f.info)
}

// refresh reads what others wrote. A file that is not ours counts as none.
func (f *vectorFile) refresh() error {
	i, err := f.disk.root.Lstat(f.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !i.Mode().IsRegular() {
		f.close()
		return nil
	}
	if err == nil && (f.file == nil || !os.SameFile(i, f.info) || i.Size() < f.end) {
		err = f.open()
	}
	if err == nil && f.file != nil {
		err = f.scan()
	}
	return f.disk.failed("read", f.name, err)
}

// open begins anew with the file that is there now.
func (f *vectorFile) open() error {
	f.close()
	file, err := f.disk.root.OpenFile(f.name, os.O_RDWR, 0)
	if readOnly(err) {
		file, err = f.disk.root.Open(f.name)
	}
	if errors.Is(err, fs.ErrNotExist) { // dropped by another process just now
		return nil
	}
	if err != nil {
		return err
	}
	if f.info, err = file.Stat(); err == nil {
		f.model, f.dimension, err = readVectorHeader(io.NewSectionReader(file, 0, f.info.Size()))
	}
	if err == nil && vectorName(f.model) != f.name {
		err = errVectors
	}
	if err != nil {
		file.Close() //nolint:errcheck // nothing was written
		if errors.Is(err, errVectors) {
			return nil
		}
		return err
	}
	f.file, f.places = file, make(map[hippo.ID]int64)
	f.begin = int64(vectorHeader + len(f.model))
	f.end = f.begin
	return nil
}

// scan reads the records behind those that are known.
func (f *vectorFile) scan() error {
	i, err := f.file.Stat()
	if err != nil {
		return err
	}
	size := i.Size() - f.end
	if size <= 0 {
		return nil
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f.file, f.end, size), int(min(size, vectorBuffer)))
	f.end, err = scanVectors(in, f.end, f.dimension, func(write []place) {
		for _, p := range write {
			if p.at == 0 {
				delete(f.places, p.id)
			} else {
				f.places[p.id] = p.at
			}
		}
	})
	return err
}

// close forgets the file, which may be deleted.
func (f *vectorFile) close() {
	if f.file != nil {
		f.file.Close() //nolint:errcheck // what was written is checked when it is read
	}
	f.file, f.places = nil, nil
}

// read returns the vectors of ids that are here. One whose record is broken
// counts as missing.
func (f *vectorFile) read(ids []hippo.ID) ([]driver.Vector, error) {
	found := make([]driver.Vector, 0, len(ids))
	if f.file == nil {
		return found, nil
	}
	b := make([]byte, vectorRecord+4*f.dimension)
	for _, id := range ids {
		at, ok := f.places[id]
		if !ok {
			continue
		}
		if _, err := f.file.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, f.disk.failed("read", f.name, err)
		}
		if v, ok := parseVector(b); ok && v.ID == id {
			found = append(found, v)
		}
	}
	return found, nil
}

// append writes behind the last whole write. It needs the lock, and a file.
func (f *vectorFile) append(vs []driver.Vector) error {
	err := f.disk.at("append", f.name)
	if err == nil {
		var i fs.FileInfo
		if i, err = f.file.Stat(); err == nil && i.Size() > f.end {
			err = f.file.Truncate(f.end) // the rest of a writer that died
		}
	}
	if err == nil {
		err = writeVectors(io.NewOffsetWriter(f.file, f.end), vs)
	}
	if err == nil {
		err = f.scan()
	}
	return f.disk.failed("write", f.name, err)
}

// create replaces the file, or makes it. It needs the lock.
func (f *vectorFile) create(model string, vs []driver.Vector) error {
	return f.replace(model, len(vs[0].Values), func(w io.Writer) error { return writeVectors(w, vs) })
}

func (f *vectorFile) replace(model string, dimension int, fill func(io.Writer) error) error {
	temp, _, err := f.disk.tempOf(func(w io.Writer) error {
		if _, err := w.Write(appendVectorHeader(nil, model, dimension)); err != nil {
			return err
		}
		return fill(w)
	})
	if err != nil {
		return err
	}
	if err := f.disk.rename(temp, f.name); err != nil {
		return errors.Join(err, f.disk.remove(temp))
	}
	return f.refresh()
}

// writeVectors writes vs so that they are found whole or not at all.
func writeVectors(w io.Writer, vs []driver.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	size := len(vs) * (vectorRecord + 4*len(vs[0].Values))
	out := bufio.NewWriterSize(w, min(size, vectorBuffer))
	var b []byte
	for i, v := range vs {
		b = appendVector(b[:0], v, i < len(vs)-1)
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return out.Flush()
}

// compact writes the file anew if more than half of it is of no use. It needs the
// lock.
func (f *vectorFile) compact() error {
	live := int64(len(f.places)) * int64(vectorRecord+4*f.dimension)
	if f.file == nil || f.end < compactAbove || 2*live >= f.end-f.begin {
		return nil
	}
	ids := slices.SortedFunc(maps.Keys(f.places), func(a, b hippo.ID) int { return cmp.Compare(f.places[a], f.places[b]) })
	return f.replace(f.model, f.dimension, func(w io.Writer) error {
		for part := range slices.Chunk(ids, 256) { // bounds memory
			vs, err := f.read(part)
			if err == nil {
				err = writeVectors(w, vs)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// remove deletes the file. It needs the lock.
func (f *vectorFile) remove() error {
	f.close()
	return f.disk.remove(f.name)
}
