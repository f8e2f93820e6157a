package sqlitex

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// location is what lies at a path: a database, the write-ahead log beside it, and the
// index of the log that processes share. Those that do not exist are nil.
//
// A log belongs to the database file for which it was begun. SQLite does not check that:
// it finds the log by its name, and replays it into whatever file is there. So the file
// PATH-owner says which of the three belong together. Where it says that a log beside a
// database is of another one, that log is moved away before the database is opened.
type location struct {
	path         string
	db, wal, shm os.FileInfo
}

const (
	walSuffix   = "-wal"
	shmSuffix   = "-shm"
	ownerSuffix = "-owner"
)

func locate(path string) location {
	stat := func(suffix string) os.FileInfo {
		if info, err := os.Stat(path + suffix); err == nil {
			return info
		}
		return nil
	}
	return location{path: path, db: stat(""), wal: stat(walSuffix), shm: stat(shmSuffix)}
}

func same(a, b os.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }

// findLog completes the location of a file that was opened, whose log exists now.
func (f *File) findLog() error {
	if f.db == nil {
		return nil
	}
	now := locate(f.path)
	if !same(f.db, now.db) {
		return errReplaced(f.path)
	}
	f.location = now
	_, f.inode, _ = strings.Cut(number(f.db), ":")
	if f.tx != nil {
		f.writeOwner()
	}
	return nil
}

// inPlace reports whether the file is still at its path, as far as can be known.
func (l *location) inPlace() bool {
	if l.db == nil {
		return true
	}
	there, err := isAt(l.path, l.db)
	return there || errors.Is(err, os.ErrPermission)
}

// current reports whether the file is the one to read: it is still at its path, is opened for writing if that is possible, and one
// that SQLite reads without locks was not written.
func (f *File) current() bool {
	if f.unfit != nil && Unfit(f.path) == nil {
		return false // it can be opened for writing now
	}
	if !f.immutable {
		return f.inPlace()
	}
	info, err := os.Stat(f.path)
	return err == nil && (f.db == nil || os.SameFile(info, f.db) && info.Size() == f.db.Size() && info.ModTime().Equal(f.db.ModTime())) && f.withoutLog()
}

// logged reports whether the log that is written is still the one at its path, as is
// the file itself, as far as can be known: what is in another one would be lost with
// this process.
func (f *File) logged() bool {
	if f.db == nil || f.immutable {
		return f.current()
	}
	there, err := isAt(f.path, f.db)
	if errors.Is(err, os.ErrPermission) {
		return true
	}
	return there && (f.rollback || isThere(f.path+walSuffix, f.wal) && isThere(f.path+shmSuffix, f.shm))
}

func isThere(path string, info os.FileInfo) bool {
	if info == nil {
		return false
	}
	there, err := isAt(path, info)
	return there && err == nil
}

// Number identifies the file on its file system for as long as it exists; empty if there
// is no such number.
func (f *File) Number() string { return f.inode }

// withoutLog reports whether the file alone is the database: neither a log nor a journal
// beside it has data.
func (l *location) withoutLog() bool {
	for _, suffix := range []string{walSuffix, "-journal"} {
		info, err := os.Stat(l.path + suffix)
		if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
			return false
		}
	}
	return true
}

// needsFolder reports whether an error can be that SQLite cannot create the files that
// it keeps beside a database, which even reading needs: the folder, or the whole file
// system, cannot be written.
func needsFolder(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlite3.SQLITE_READONLY_DIRECTORY || e.Code()&0xff == sqlite3.SQLITE_CANTOPEN)
}

// owner is the content of PATH-owner: the numbers of the database, the log and its index.
type owner [3]string

func (l *location) owner() owner { return owner{number(l.db), number(l.wal), number(l.shm)} }

func readOwner(path string) (o owner) {
	b, err := os.ReadFile(path + ownerSuffix)
	if fields := strings.Fields(string(b)); err == nil && len(fields) == len(o) {
		copy(o[:], fields)
	}
	return o
}

// isForeign reports whether the log at a location is known to belong to another database.
func (o owner) isForeign(l *location) bool {
	now := l.owner()
	return o[0] != "" && o[0] != now[0] && (l.wal != nil && o[1] == now[1] || l.shm != nil && o[2] == now[2])
}

// writeOwner writes PATH-owner, if it says something else. In a folder where that cannot be
// written nobody can put another file either.
func (l *location) writeOwner() {
	o := l.owner()
	if readOwner(l.path) == o {
		return
	}
	_ = atomicfile.Write(l.path+ownerSuffix, []byte(strings.Join(o[:], " ")+"\n"))
}

// removeForeignLog moves a log away that belongs to another database than the one at the
// path. That one was put there while, or after, a process had the other one open.
func removeForeignLog(path string, log *slog.Logger) error {
	if !replaceable {
		return nil
	}
	at := locate(path)
	if o := readOwner(path); !o.isForeign(&at) {
		if o[0] != "" && o[0] != number(at.db) {
			_ = os.Remove(path + ownerSuffix) // its numbers may be given to other files now
		}
		return nil
	}
	unlock, err := lockFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	at = locate(path) // another process may have done it
	o := readOwner(path)
	if !o.isForeign(&at) {
		return nil
	}
	return at.moveLog(o[1] == number(at.wal), o[2] == number(at.shm), log)
}

// detachLog moves the log of a file away from another file that is at its path.
func detachLog(f *File, log *slog.Logger) error {
	if f.db == nil || f.immutable {
		return nil
	}
	unlock, err := lockFolder(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	defer unlock()
	now := locate(f.path)
	if same(f.db, now.db) {
		return nil
	}
	return now.moveLog(same(f.wal, now.wal), same(f.shm, now.shm), log)
}

// moveLog renames the log, if it holds data, and removes the index, if they exist.
func (l *location) moveLog(wal, shm bool, log *slog.Logger) error {
	var errs []error
	if wal && l.wal != nil {
		aside := detachedLogName(l.path, l.wal)
		log.Warn("the log beside a database belongs to another file and is kept aside", "store", l.path, "log", aside)
		errs = append(errs, os.Rename(l.path+walSuffix, aside))
	}
	if shm && l.shm != nil {
		errs = append(errs, os.Remove(l.path+shmSuffix))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: store %s: the log beside it belongs to another file and cannot be moved away: %w", hippo.ErrUnavailable, l.path, err)
	}
	return nil
}

// detachedLogName is where a log is kept whose database is elsewhere.
func detachedLogName(path string, wal os.FileInfo) string {
	return path + walSuffix + "-" + strings.ReplaceAll(number(wal), ":", "-")
}

// removeEmptyLog removes the log that was kept aside, if all of it is in the file now.
func removeEmptyLog(f *File) error {
	if f.wal == nil {
		return nil
	}
	name := detachedLogName(f.path, f.wal)
	if info, err := os.Stat(name); err == nil && info.Size() == 0 && same(info, f.wal) {
		return os.Remove(name)
	}
	return nil
}
