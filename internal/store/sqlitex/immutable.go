package sqlitex

import (
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hippo-memory/hippo"
)

// needsFolder reports whether an error can be that SQLite cannot create the files that
// it keeps beside a database, which even reading needs: the folder, or the whole file
// system, cannot be written.
func needsFolder(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlite3.SQLITE_READONLY_DIRECTORY || e.Code()&0xff == sqlite3.SQLITE_CANTOPEN)
}

// immutable is a database file that nobody writes, so that SQLite can read it without
// locks and without files beside it. SQLite would not notice a write, so every read
// checks that there was none.
type immutable struct {
	path string
	info os.FileInfo
}

// immutableFile returns the file, or nil if the file alone is not the whole database: a
// log or a journal beside it has the rest, or is being written.
func immutableFile(path string) *immutable {
	f := &immutable{path: path}
	var err error
	if f.info, err = os.Stat(path); err != nil || !f.whole() {
		return nil
	}
	return f
}

// whole reports whether neither a log nor a journal belongs to the file.
func (f *immutable) whole() bool {
	for _, suffix := range []string{"-wal", "-journal"} {
		info, err := os.Stat(f.path + suffix)
		if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
			return false
		}
	}
	return true
}

// check returns [hippo.ErrUnavailable] if the file was written since it was opened.
// A nil immutable may be written.
func (f *immutable) check() error {
	if f == nil {
		return nil
	}
	info, err := os.Stat(f.path)
	if err == nil && os.SameFile(info, f.info) && info.Size() == f.info.Size() && info.ModTime().Equal(f.info.ModTime()) && f.whole() {
		return nil
	}
	return fmt.Errorf("%w: store %s was changed by another program, and its folder cannot be written, which reading beside that program needs: open it again",
		hippo.ErrUnavailable, f.path)
}
