package index

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

// load takes the snapshot into the empty index. One that does not fit is deleted.
func (x *Index) load(head driver.Head) {
	if x.path == "" {
		return
	}
	err := x.read(head)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
	default:
		x.log.Info("index: making the snapshot anew", "path", x.path, "reason", err)
		// Best effort: what cannot be deleted is replaced by the next save.
		_ = os.Remove(x.path)
	}
}

func (x *Index) read(head driver.Head) error {
	data, mapping, err := mapFile(x.path)
	if err != nil {
		return err
	}
	h, body, err := decodeHeader(data)
	if err == nil {
		err = x.fits(&h, head)
	}
	var c *contents
	if err == nil {
		c, err = decode(data, &h, body)
	}
	if err != nil {
		mapping.close()
		return err
	}
	mapping.belongsTo(c.base)
	x.base, x.rows, x.spaces = c.base, c.rows, c.spaces
	x.store, x.revision, x.saved = h.Store, h.Revision, h.Revision
	return nil
}

// fits reports why a snapshot is of no use for this index and store.
func (x *Index) fits(h *header, head driver.Head) error {
	switch {
	case !x.madeAlike(h):
		return fmt.Errorf("made for analyzer %q and pieces %q, or other parameters: %w", h.Analyzer, h.Pieces, errStale)
	case h.Store != head.Store:
		return fmt.Errorf("made for store %q, this is %q: %w", h.Store, head.Store, errStale)
	case h.Revision > head.Revision:
		return fmt.Errorf("revision %d is newer than the store's %d: %w", h.Revision, head.Revision, errStale)
	}
	return nil
}

// madeAlike reports whether a snapshot was made by what this index is made by.
func (x *Index) madeAlike(h *header) bool {
	return h.Analyzer == x.analyzer.Name() && h.Params == x.params && h.Pieces == x.cutter.name()
}

// save writes the snapshot of b and s, unless another process is at it or has
// written a newer one. The caller holds upkeep.
func (x *Index) save(ctx context.Context, s *state, b *base) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	written, err := x.write(s, b)
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", x.path, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if written == nil || x.store != s.Store {
		return nil
	}
	x.changed -= s.changed
	x.saved = s.Revision
	// From now on base and vectors lie in the page cache instead of on the heap.
	if x.base == b && written.base.n > 0 {
		x.base = written.base
	}
	for i, sp := range written.spaces {
		s.spaces[i].rebase(x, sp.table, written.base)
	}
	return nil
}

// write replaces the file, and returns what is in it over its bytes, as far as
// it is mapped; nil if it was left alone.
func (x *Index) write(s *state, b *base) (*contents, error) {
	lock := flock.New(x.path+".lock", flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return nil, err
	}
	defer lock.Close() //nolint:errcheck // nothing was written through it
	if old, err := readHeader(x.path); err == nil && old.Store == s.Store && old.Revision > s.Revision && x.madeAlike(&old) {
		return &contents{base: b}, nil // as good as saved
	}
	shapes := encodeShapes(&b.shapes)
	list := b.blobs(s, &shapes, s.planes)
	h := x.headerOf(s, b, list)
	top, err := h.encode()
	if err != nil {
		return nil, err
	}
	temp := x.path + ".tmp"
	if err := writeFile(temp, top, list); err != nil {
		return nil, errors.Join(err, os.Remove(temp))
	}
	out, err := remap(temp, b, &h, int64(len(top)))
	if err == nil {
		err = os.Rename(temp, x.path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(temp))
	}
	return out, syncDir(filepath.Dir(x.path))
}

// remap returns b and the spaces with their bytes mapped from the file just
// written, or b itself where files are not mapped.
func remap(path string, b *base, h *header, body int64) (*contents, error) {
	if !canMap {
		return &contents{base: b}, nil
	}
	data, mapping, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	c := &contents{base: &base{n: b.n, words: b.words, shapes: b.shapes}}
	mapping.belongsTo(c.base)
	var shapes []byte
	spaces := make([]*planes, len(h.Spaces))
	for i := range spaces {
		spaces[i] = &planes{}
	}
	if err := cut(data[body:], h.Sections, c.base.blobs(&state{}, &shapes, spaces)); err != nil {
		return nil, err
	}
	for i, p := range spaces {
		sp, err := p.open(h.Spaces[i], h.Docs, c.base)
		if err != nil {
			return nil, err
		}
		c.spaces = append(c.spaces, sp)
	}
	return c, nil
}

// writeFile writes and syncs a new file.
func writeFile(path string, top []byte, list []blob) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<16)
	if _, err := w.Write(top); err != nil {
		return err
	}
	for _, l := range list {
		if _, err := w.Write(*l.data); err != nil {
			return err
		}
		if _, err := w.Write(make([]byte, roundUp(int64(len(*l.data)))-int64(len(*l.data)))); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// readHeader reads the header of a snapshot only.
func readHeader(path string) (header, error) {
	f, err := os.Open(path)
	if err != nil {
		return header{}, err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, int64(preamble+maxHeader)))
	if err != nil {
		return header{}, err
	}
	h, _, err := decodeHeader(b)
	return h, err
}
