// Package atomicfile replaces files as a whole: a reader, and a crash, finds the old content or the new one.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged is returned if another program changed a file after it was read.
var ErrChanged = errors.New("another program changed the file meanwhile: try again")

// RefusedError is returned for a file that must not be replaced, though the system might permit it.
type RefusedError struct{ Path, Reason string }

func (e *RefusedError) Error() string { return e.Path + " " + e.Reason }

// File is a file that was read and may be replaced.
type File struct {
	Path    string // with symbolic links resolved
	Exists  bool
	Content []byte      // nil if the file does not exist
	Mode    fs.FileMode // the permissions that a replacement gets: those of the file, 0600 for a new one
	Info    fs.FileInfo // nil if the file does not exist
}

// Read reads a file of at most limit bytes, through symbolic links. It may be missing, with its folders. The error is
// [*RefusedError] if the file is a link to nothing, read-only, too large, or no regular file.
func Read(path string, limit int64) (File, error) {
	full, err := resolve(path)
	if err != nil {
		return File{}, err
	}
	f := File{Path: full, Mode: 0o600}
	info, err := os.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, err
	case !info.Mode().IsRegular():
		return f, &RefusedError{full, "is not a regular file"}
	case info.Mode().Perm()&0o200 == 0:
		return f, &RefusedError{full, "is read-only: make it writable (chmod u+w), or edit it by hand"}
	case info.Size() > limit:
		return f, &RefusedError{full, fmt.Sprintf("has %d bytes, more than the limit of %d", info.Size(), limit)}
	}
	f.Exists, f.Mode, f.Info = true, info.Mode().Perm(), info
	f.Content, err = os.ReadFile(full)
	return f, err
}

// resolve follows links to a file that need not exist, in folders that need not exist.
func resolve(path string) (string, error) {
	full, err := filepath.EvalSymlinks(path)
	if err == nil {
		return full, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", path, err) // that of a loop of links does not name it
	}
	if next, err := os.Readlink(path); err == nil {
		return "", &RefusedError{path, "is a link to " + next + ", which does not exist: repair or remove the link"}
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path, nil
	}
	dir, err = resolve(dir)
	return filepath.Join(dir, filepath.Base(path)), err
}

// Replace writes new content durably, in a folder that exists. Mode is kept, and the owner and the group as far as the
// system permits. The error is [ErrChanged] if the content is no longer the one that was read, because programs rewrite
// their files while they run; an error leaves the file as it is.
func (f *File) Replace(content []byte) error {
	temp, err := writeTemp(f.Path, content, func(t *os.File) error {
		if f.Exists {
			keepOwner(t, f.Info)
		}
		return errors.Join(t.Chmod(f.Mode), t.Sync())
	})
	if err != nil {
		return err
	}
	now, err := os.ReadFile(f.Path)
	switch {
	case err != nil && (f.Exists || !errors.Is(err, fs.ErrNotExist)):
	case (err == nil) != f.Exists, !bytes.Equal(now, f.Content):
		err = ErrChanged
	default:
		err = os.Rename(temp, f.Path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return SyncDir(filepath.Dir(f.Path))
}

// Write replaces a file of mode 0600 in a folder that exists, whatever is there. It does not wait for the disk: it is
// for caches and notes, which a crash of the machine may take. A symbolic link is replaced by the file.
func Write(path string, content []byte) error {
	temp, err := writeTemp(path, content, func(*os.File) error { return nil })
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// OfTarget makes an error about a temporary file one about the file that it was to become, and says what a missing folder needs.
func OfTarget(err error, path string) error {
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		bad.Path = path
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: make the folder %s first", err, filepath.Dir(path))
	}
	return err
}

// writeTemp writes a temporary file of mode 0600 beside path and returns its name. Finish is called before it is closed.
func writeTemp(path string, content []byte, finish func(*os.File) error) (string, error) {
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", OfTarget(err, path)
	}
	if _, err = t.Write(content); err == nil {
		err = finish(t)
	}
	if err = errors.Join(err, t.Close()); err != nil {
		return "", errors.Join(err, os.Remove(t.Name()))
	}
	return t.Name(), nil
}

// Publish gives a complete file in the same folder its final name, durably. Neither name is a symbolic link.
func Publish(temp, path string) error {
	f, err := os.OpenFile(temp, os.O_RDWR, 0) // Windows flushes only what is open for writing
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir flushes the names in a folder, where the system can do that.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = f.Sync() // Windows cannot, nor can some network file systems
	return f.Close()
}
