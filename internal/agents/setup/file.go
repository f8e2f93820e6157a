package setup

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// backupSuffix is added to the name of a file for its copy from before the first change.
const backupSuffix = ".hippo-backup"

// maxFile is the largest file that is edited, in bytes.
const maxFile = 64 << 20

// ownerFunc returns the owner of a file if that is another user, else "".
type ownerFunc func(fs.FileInfo) string

// readFile reads a file of a client that may be replaced later: not one of another user, whose programs might then not
// be able to read it.
func readFile(path string, owner ownerFunc) (atomicfile.File, error) {
	f, err := atomicfile.Read(path, maxFile)
	if err == nil && f.Exists {
		if other := owner(f.Info); other != "" {
			err = fmt.Errorf("%s belongs to another user (%s): run hippo setup as that user", f.Path, other)
		}
	}
	return f, err
}

// replaceFile replaces a file, in folders that are created if need be.
func replaceFile(f *atomicfile.File, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return err
	}
	return f.Replace(content)
}
