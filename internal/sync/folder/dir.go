// Package folder has the folders that carry the files of a shelf between machines: one on the disk, which something else carries (Dropbox,
// iCloud, Syncthing, a stick), and a ref of a repository of Git.
package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// MaxFile is how many bytes a file may have.
const MaxFile = 64 << 20

// Dir is a folder on the disk. Files get their names when they are complete and on the disk.
type Dir struct{ root string }

// OpenDir returns the folder hippo-sync in a folder that has to be there: a stick that is not mounted is no empty one. It is made by
// the first Put.
func OpenDir(path string) (*Dir, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, notThere(err)
	case !info.IsDir():
		return nil, fmt.Errorf("%w: %s is not a folder", hippo.ErrInvalid, path)
	}
	return &Dir{filepath.Join(path, "hippo-sync")}, nil
}

// List implements the interface. Files that are not complete yet are left out.
func (d *Dir) List(ctx context.Context) (map[string]int64, error) {
	out := make(map[string]int64)
	err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			return gone(err)
		}
		info, err := e.Info()
		if err != nil {
			return gone(err)
		}
		name, err := filepath.Rel(d.root, path)
		out[filepath.ToSlash(name)] = info.Size()
		return err
	})
	return out, explain(err)
}

// gone is nil for a file that was removed meanwhile.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d *Dir) path(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%w: %q is not the name of a file", hippo.ErrInvalid, name)
	}
	return filepath.Join(d.root, filepath.FromSlash(name)), nil
}

// Get implements the interface.
func (d *Dir) Get(_ context.Context, name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err = errors.Join(err, f.Close()); err == nil && len(b) > MaxFile {
		err = fmt.Errorf("%w: more than %d bytes", hippo.ErrCorrupt, MaxFile)
	}
	return b, explain(err)
}

// Open opens a file to read it. The caller closes it.
func (d *Dir) Open(name string) (*os.File, error) {
	path, err := d.path(name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	return f, explain(err)
}

// Put implements the interface.
func (d *Dir) Put(_ context.Context, name string, data []byte) error {
	_, err := d.Receive(name, bytes.NewReader(data))
	return err
}

// Receive streams a file to the folder and reports whether it wrote one. It does not replace an existing file, and it writes nothing if the
// reader fails.
func (d *Dir) Receive(name string, from io.Reader) (written bool, err error) {
	path, err := d.path(name)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(path); err == nil {
		return false, nil
	}
	if err := d.makeFor(name); err != nil {
		return false, err
	}
	t, err := os.CreateTemp(filepath.Dir(path), ".new-*") // no list shows it
	if err != nil {
		return false, explain(err)
	}
	_, err = io.Copy(t, from)
	if err = errors.Join(err, t.Close()); err == nil {
		err = atomicfile.Publish(t.Name(), path)
	}
	if err != nil {
		return false, explain(errors.Join(err, os.Remove(t.Name())))
	}
	return true, nil
}

// makeFor makes the folders of a file, one in the other. It never makes the folder of the user: a stick may have been taken out since the
// folder was opened.
func (d *Dir) makeFor(name string) error {
	dirs := []string{d.root}
	for i, c := range name {
		if c == '/' {
			dirs = append(dirs, filepath.Join(d.root, filepath.FromSlash(name[:i])))
		}
	}
	for _, dir := range dirs {
		switch err := os.Mkdir(dir, 0o700); {
		case errors.Is(err, fs.ErrNotExist):
			return notThere(err)
		case err != nil && !errors.Is(err, fs.ErrExist):
			return explain(err)
		}
	}
	return nil
}

// notThere explains that the folder of the user does not exist.
func notThere(err error) error {
	return fmt.Errorf("%w: %w: mount or make the folder first", hippo.ErrUnavailable, err)
}

// Remove implements the interface.
func (d *Dir) Remove(_ context.Context, name string) error {
	path, err := d.path(name)
	if err != nil {
		return err
	}
	return explain(gone(os.Remove(path)))
}

// Commit implements the interface. There is nothing to send.
func (d *Dir) Commit(context.Context) error { return nil }

// explain says what an error of the disk asks for.
func explain(err error) error {
	var code syscall.Errno
	errors.As(err, &code)
	full := code == syscall.ENOSPC || code == syscall.EDQUOT
	if runtime.GOOS == "windows" { // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
		full = code == 39 || code == 112
	}
	switch {
	case err == nil:
		return nil
	case full:
		return fmt.Errorf("%w: make room in the folder, and sync again: %w", hippo.ErrFull, err)
	case errors.Is(err, fs.ErrPermission), code == syscall.EROFS && !strings.HasPrefix(runtime.GOOS, "windows"):
		return fmt.Errorf("%w: make the folder readable and writable for this user, and sync again: %w", hippo.ErrReadOnly, err)
	case errors.Is(err, hippo.ErrCorrupt), errors.Is(err, hippo.ErrInvalid), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
}
