package sqlitex

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Unfit returns why a file that exists must not be written; nil if it can be. SQLite finds the log by the name of the
// database: a program that opens the file by another name writes another log, and of two logs one is lost. A file of 0
// bytes is damage where a store has been. Cost: two system calls.
func Unfit(path string) error {
	links, size, err := namesOf(path)
	switch {
	case err != nil:
		return nil //nolint:nilerr // who opens the file says what is wrong
	case size == 0:
		return emptied(path)
	case mountedAlone(path):
		return fmt.Errorf("%w: store %s is mounted as a single file, and what is written goes first to a log beside it, which would be outside of the mount: "+
			"mount the folder that holds the file instead", hippo.ErrReadOnly, path)
	case links > 1 && !removeUnfinished(path):
		return fmt.Errorf("%w: store %s is a file with %d names (hard links), and a program that uses another name would keep another log, of which one is lost: "+
			"remove the other names (find FOLDER -samefile %[2]s lists them)", hippo.ErrReadOnly, path, links)
	}
	return nil
}

// indexSuffix is of the search index, which the layers above keep beside a store.
const indexSuffix = ".index"

// emptied returns an error if a file of 0 bytes was a store: as what is beside it shows.
func emptied(path string) error {
	for _, suffix := range []string{walSuffix, ownerSuffix, indexSuffix} {
		if info, err := os.Stat(path + suffix); err == nil && info.Size() > 0 {
			return fmt.Errorf("%w: store %s has 0 bytes, and %[2]s%s beside it shows that it had memories: put a copy of it back (hippo restore BACKUP). "+
				"For a new store remove both", hippo.ErrCorrupt, path, suffix)
		}
	}
	return nil
}

// unfinished follows the name of a file in the names under which createWhole makes it.
const unfinished = ".new-"

// removeUnfinished removes the name under which the file was made, if it still has it, and reports whether that was its only
// other one.
func removeUnfinished(path string) bool {
	dir := filepath.Dir(path)
	list, err := os.ReadDir(dir)
	info, failed := os.Stat(path)
	if err != nil || failed != nil {
		return false
	}
	for _, e := range list {
		name := filepath.Join(dir, e.Name())
		if !strings.HasPrefix(e.Name(), filepath.Base(path)+unfinished) {
			continue
		}
		if other, err := os.Lstat(name); err == nil && os.SameFile(info, other) {
			_ = os.Remove(name) // its process may do it at the same time
		}
	}
	links, _, err := namesOf(path)
	return err == nil && links == 1
}
