package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hippo-memory/hippo"
)

// diskError gives an error of the file system its kind.
func diskError(err error) error {
	switch {
	case err == nil:
		return nil
	case isFull(err):
		return fmt.Errorf("%w: %w", hippo.ErrFull, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", hippo.ErrReadOnly, err)
	default:
		return err
	}
}

// writeFile replaces a file of root as a whole, durably.
func writeFile(root *os.Root, name string, data []byte) error {
	draft := name + ".tmp"
	f, err := root.Create(draft)
	if err != nil {
		return diskError(err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(draft, name)
	}
	if err == nil {
		err = syncDir(root.Name())
	}
	return diskError(err)
}

// remove removes a file of root that may not exist.
func remove(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diskError(err)
	}
	return nil
}
