package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// Folder keeps snapshots in a folder, which machines may share over a network. It is safe for concurrent use, by several
// processes as well.
type Folder struct{ path string }

// NewFolder returns the snapshots of a folder, which is made when the first one is kept.
func NewFolder(path string) *Folder { return &Folder{path} }

const (
	tempPrefix = ".tmp-"
	// tempAge is the age of a file that a process which ended has left.
	tempAge = 24 * time.Hour
)

// Newest implements the interface.
func (f *Folder) Newest(ctx context.Context, store, form string, most hippo.Revision) (hippo.Revision, error) {
	list, err := f.list(ctx, store)
	return newest(list, form, most), err
}

// Fetch implements the interface.
func (f *Folder) Fetch(ctx context.Context, store, form string, revision hippo.Revision, to io.Writer) error {
	file, err := os.Open(f.file(store, name{form, revision}))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("snapshot of revision %d: %w", revision, hippo.ErrNotFound)
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	return copyFile(ctx, to, file)
}

// Keep implements the interface.
func (f *Folder) Keep(ctx context.Context, store, form string, revision hippo.Revision, from *io.SectionReader) error {
	dir := f.folder(store)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, tempPrefix)
	if err != nil {
		return err
	}
	if err = copyFile(ctx, temp, from); err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), f.file(store, name{form, revision}))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return errors.Join(atomicfile.SyncDir(dir), f.trim(ctx, store, name{form, revision}))
}

// Remove removes all snapshots of a store.
func (f *Folder) Remove(_ context.Context, store string) error { return os.RemoveAll(f.folder(store)) }

func (f *Folder) folder(store string) string { return filepath.Join(f.path, folderOf(store)) }

func (f *Folder) file(store string, n name) string { return filepath.Join(f.folder(store), n.String()) }

func (f *Folder) list(ctx context.Context, store string) (list []name, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(f.folder(store))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if n, ok := parse(e.Name()); ok {
			list = append(list, n)
		}
	}
	return list, err
}

// trim removes old snapshots, and what processes have left that ended while they wrote one: it is old compared with the newest file.
func (f *Folder) trim(ctx context.Context, store string, kept name) error {
	list, err := f.list(ctx, store)
	if err != nil {
		return err
	}
	for _, n := range old(list, kept) {
		err = errors.Join(err, remove(f.file(store, n)))
	}
	left, _ := filepath.Glob(filepath.Join(f.folder(store), tempPrefix+"*")) // the pattern is well-formed
	for _, path := range left {
		if f.age(store, path) > tempAge {
			err = errors.Join(err, remove(path))
		}
	}
	return err
}

// age is how much older a file is than the folder of its store, which changes with each file.
func (f *Folder) age(store, path string) time.Duration {
	dir, err := os.Stat(f.folder(store))
	if err != nil {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return dir.ModTime().Sub(info.ModTime())
}

// remove removes a file, which another process may have removed.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// chunk is how much is copied without a look at the context.
const chunk = 16 << 20

// copyFile copies all, by the system where both are files.
func copyFile(ctx context.Context, to io.Writer, from io.Reader) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.CopyN(to, from, chunk); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
