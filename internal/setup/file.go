package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// backupSuffix is added to the name of a file for its copy from before the first change.
const backupSuffix = ".hippo-backup"

// maxFile is the largest file that is edited, in bytes.
const maxFile = 64 << 20

// file is a file of a client, with links resolved. A file that does not exist has no text.
type file struct {
	path   string
	exists bool
	text   []byte
	mode   fs.FileMode
	owner  ownerFunc
}

// ownerFunc returns the owner of a file if that is another user, else "".
type ownerFunc func(fs.FileInfo) string

// readFile reads a file that may be replaced later: not one that is read-only, of another
// user, no regular file, or a link to nothing.
func readFile(path string, owner ownerFunc) (file, error) {
	full, err := resolve(path)
	if err != nil {
		return file{}, err
	}
	f := file{path: full, mode: 0o600, owner: owner}
	info, err := os.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, err
	case !info.Mode().IsRegular():
		return f, fmt.Errorf("%s is not a regular file", full)
	case info.Mode().Perm()&0o200 == 0:
		return f, fmt.Errorf("%s is read-only: make it writable (chmod u+w), or edit it by hand", full)
	case info.Size() > maxFile:
		return f, fmt.Errorf("%s has %d bytes, more than the limit of %d", full, info.Size(), maxFile)
	}
	if other := owner(info); other != "" {
		return f, fmt.Errorf("%s belongs to another user (%s): run hippo setup as that user", full, other)
	}
	f.exists, f.mode = true, info.Mode().Perm()
	f.text, err = os.ReadFile(full)
	return f, err
}

// resolve follows links to a file that need not exist, in folders that need not exist.
func resolve(path string) (string, error) {
	full, err := filepath.EvalSymlinks(path)
	if err == nil {
		return full, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if next, err := os.Readlink(path); err == nil {
		return "", fmt.Errorf("%s is a link to %s, which does not exist: repair or remove the link", path, next)
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path, nil
	}
	dir, err = resolve(dir)
	return filepath.Join(dir, filepath.Base(path)), err
}

// replaceFile writes a file atomically and durably: all of it, or nothing. The text that the
// caller read must be there still, because programs rewrite their files while they run.
func replaceFile(old file, text []byte) (err error) {
	dir := filepath.Dir(old.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, "."+filepath.Base(old.path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Chmod(old.mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	now, err := readFile(old.path, old.owner)
	if err != nil {
		return err
	}
	if now.exists != old.exists || !bytes.Equal(now.text, old.text) {
		return errConcurrent
	}
	if err = os.Rename(temp.Name(), old.path); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// errConcurrent is returned if another program changed a file while it was edited.
var errConcurrent = errors.New("another program changed the file meanwhile: try again")

// syncDir flushes the names in a folder, where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system can; the file is whole in any case
		_ = d.Close()
	}
}
