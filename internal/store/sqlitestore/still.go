package sqlitestore

import (
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hippo-memory/hippo"
)

// isLocked reports whether an error can be that SQLite may not make the files that
// it keeps beside a database, which even reading needs: the folder, or the whole
// file system, cannot be written.
func isLocked(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlite3.SQLITE_READONLY_DIRECTORY || e.Code()&0xff == sqlite3.SQLITE_CANTOPEN)
}

// still is a database file that nobody writes, so that SQLite can read it without
// locks and without files beside it ("immutable"). It is an error of each read if
// somebody does write it after all.
type still struct {
	path string
	info os.FileInfo
}

// standsStill returns the file, or nil if all of the store is not in it: a log or a
// journal beside it has what is missing, or is being written.
func standsStill(path string) *still {
	s := &still{path: path}
	var err error
	if s.info, err = os.Stat(path); err != nil || !s.alone() {
		return nil
	}
	return s
}

// alone reports whether there is nothing beside the file that belongs to it.
func (s *still) alone() bool {
	for _, suffix := range []string{"-wal", "-journal"} {
		info, err := os.Stat(s.path + suffix)
		if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
			return false
		}
	}
	return true
}

// check returns [hippo.ErrUnavailable] if the file was written since it was opened.
// A nil still may be written.
func (s *still) check() error {
	if s == nil {
		return nil
	}
	info, err := os.Stat(s.path)
	if err == nil && os.SameFile(info, s.info) && info.Size() == s.info.Size() && info.ModTime().Equal(s.info.ModTime()) && s.alone() {
		return nil
	}
	return fmt.Errorf("%w: store %s was changed by another program, and its folder cannot be written, which reading beside that program needs: open it again",
		hippo.ErrUnavailable, s.path)
}
