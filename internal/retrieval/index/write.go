package index

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// slack is how large a file may be, in percent of what it must hold: a larger one is replaced as a whole.
type slack int64

const (
	usual slack = 200
	tight slack = 125 // of a file that travels

	// A file may hold this much more.
	usualGarbage = 4 << 20
	tightGarbage = 64 << 10
)

// allows reports whether a file that must hold some bytes may have a size.
func (s slack) allows(size, used int64) bool {
	more := int64(usualGarbage)
	if s == tight {
		more = tightGarbage
	}
	return size <= used*int64(s)/100+more
}

// write brings the file to the current snapshot, unless another process is at it or has
// written a newer one. The caller holds working.
func (u *upkeep) write(within slack) error {
	lock := flock.New(u.opts.Path+".lock", flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return err
	}
	defer lock.Close() //nolint:errcheck // nothing was written through it
	u.mu.Lock()
	s, changed := u.current.Load(), u.changed
	u.mu.Unlock()
	if s.store == "" || s.closed && len(s.parts) == 0 {
		return nil
	}
	w, err := u.openWriter(s, within)
	if err == nil && w != nil {
		err = w.save(u, s)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", u.opts.Path, err)
	}
	u.mu.Lock()
	u.changed -= changed
	u.mu.Unlock()
	return nil
}

// writer appends to a file, or writes a new one that takes its place.
type writer struct {
	file   *os.File
	buffer *bufio.Writer
	path   string // that the new file is renamed to; empty: it is appended to
	offset int64
	header header
	refs   map[*segment]*savedPart
	start  int64 // of what is new
}

// openWriter opens the file for appending if it is the one this process knows and not mostly
// garbage, else a new one. It returns nil if the file is newer than the snapshot.
func (u *upkeep) openWriter(s *snapshot, within slack) (*writer, error) {
	f, err := os.OpenFile(u.opts.Path, os.O_RDWR, 0o600)
	if err == nil {
		h, r, size, err := readRoot(f)
		if err == nil && u.opts.misfit(&r, s.store, math.MaxUint64) == nil && r.Revision > s.revision {
			return nil, f.Close()
		}
		u.file.mu.Lock()
		same, refs := h.identity == u.file.identity, u.file.refs
		u.file.mu.Unlock()
		if err == nil && same && within.allows(size, used(s, refs)) {
			w := &writer{file: f, offset: roundUp(size), header: h, refs: refs}
			w.start = w.offset
			if _, err := f.Seek(w.offset, 0); err != nil {
				return nil, errors.Join(err, f.Close())
			}
			w.buffer = bufio.NewWriterSize(f, 1<<16)
			return w, nil
		}
		_ = f.Close()
	}
	if f, err = os.OpenFile(u.opts.Path+".tmp", os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	w := &writer{file: f, path: u.opts.Path, offset: headerSize, header: header{identity: newIdentity()}, refs: map[*segment]*savedPart{}}
	w.buffer = bufio.NewWriterSize(f, 1<<16)
	_, err = w.buffer.Write(encodeHeader(w.header.identity))
	return w, err
}

// save writes a snapshot and closes the file.
func (w *writer) save(u *upkeep, s *snapshot) (err error) {
	temp := w.file.Name()
	defer func() {
		err = errors.Join(err, w.file.Close())
		if err != nil && w.path != "" {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	r := root{
		Analyzer: u.opts.Analyzer.Name(), Params: *u.opts.Params, Tokens: u.opts.tokensName(), Store: s.store, Revision: s.revision, Used: s.used,
	}
	refs := make(map[*segment]*savedPart, len(s.parts))
	for _, p := range s.parts {
		ref, err := w.part(p, s.models)
		if err != nil {
			return err
		}
		if w.path != "" {
			p.file.drop() // it was copied
		}
		refs[p.segment] = ref
		pr := partRoot{Docs: p.docs, Static: ref.static, Mutable: ref.mutable}
		for _, v := range ref.vectors {
			pr.Vectors = append(pr.Vectors, v.root)
		}
		r.Parts = append(r.Parts, pr)
	}
	if b := s.lessons.encode(); len(b) > 0 {
		if r.Feedback, err = w.section(b, false); err != nil {
			return err
		}
	}
	if err := w.commit(&r); err != nil {
		return err
	}
	moved, err := u.remap(w, s, refs)
	if err != nil {
		return err
	}
	info, err := w.file.Stat()
	u.file.is(w.header.identity, moved, s.revision, info)
	return err
}

// part writes what the file does not have of a part.
func (w *writer) part(p *part, models []embed.Model) (ref *savedPart, err error) {
	old := w.refs[p.segment]
	ref = &savedPart{chunks: p.stored.chunks, live: p.live, hidden: p.hidden}
	if old != nil {
		ref.static, ref.rows = old.static, old.rows
	} else if ref.static, err = w.fields(p.sections()); err != nil {
		return nil, err
	}
	if old != nil && slices.Equal(old.chunks, ref.chunks) && slices.Equal(old.live, ref.live) && slices.Equal(old.hidden, ref.hidden) {
		ref.mutable = old.mutable
	} else if ref.mutable, err = w.fields(mutableOf(p).sections()); err != nil {
		return nil, err
	}
	for k, m := range models {
		v := &p.vectors[k]
		if v.rowOf == nil {
			continue
		}
		if saved, ok := old.has(m, v); ok {
			ref.vectors = append(ref.vectors, saved)
			continue
		}
		saved, err := w.vectors(m, v)
		if err != nil {
			return nil, err
		}
		if w.path != "" { // now, because the vectors of all models are most of the file
			v.file.drop()
		}
		ref.vectors = append(ref.vectors, saved)
	}
	return ref, nil
}

// vectors writes the vectors of a part by one model.
func (w *writer) vectors(m embed.Model, v *vectors) (savedVectors, error) {
	table := &v.table
	if !table.Whole() {
		table = copyRows(table, m.Dimension, table.Len())
	}
	p := planes{docOf: v.docOf}
	p.hi, p.lo, p.scales = table.Planes()
	list, err := w.fields(p.sections())
	return savedVectors{vectorRoot{Model: m, Rows: table.Len(), Sections: list}, v.docOf}, err
}

// fields writes fields and returns where they are.
func (w *writer) fields(list []field) ([]section, error) {
	out := make([]section, len(list))
	for i, f := range list {
		var err error
		if out[i], err = w.section(f.get(), f.bare); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// section writes bytes at the next aligned offset.
func (w *writer) section(b []byte, bare bool) (s section, err error) {
	pad := roundUp(w.offset) - w.offset
	if _, err := w.buffer.Write(make([]byte, pad)); err != nil {
		return s, err
	}
	s = section{Offset: w.offset + pad, Length: int64(len(b))}
	if !bare {
		s.CRC = checksum(b)
	}
	_, err = w.buffer.Write(b)
	w.offset = s.Offset + s.Length
	return s, err
}

// commit writes the root and the slot that puts it in force, durably.
func (w *writer) commit(r *root) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if w.header.root, err = w.section(text, false); err != nil {
		return err
	}
	if err := errors.Join(w.buffer.Flush(), w.file.Sync()); err != nil {
		return err
	}
	w.header.generation++
	slot, at := w.header.slot()
	if _, err := w.file.WriteAt(slot, at); err != nil {
		return err
	}
	if w.path == "" {
		return nil
	}
	if err := errors.Join(w.file.Sync(), os.Rename(w.file.Name(), w.path)); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(w.path))
}
