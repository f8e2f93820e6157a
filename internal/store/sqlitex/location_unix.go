//go:build unix

package sqlitex

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hippo-memory/hippo"
)

// replaceable says that a file can be renamed or deleted while it is open.
const replaceable = true

// isAt reports whether a file is at a path. It is what every read costs, and does not
// allocate as [os.Stat] does.
func isAt(path string, info os.FileInfo) (bool, error) {
	var now unix.Stat_t
	if err := unix.Stat(path, &now); err != nil {
		return false, err
	}
	was, ok := info.Sys().(*syscall.Stat_t)
	return ok && now.Dev == was.Dev && now.Ino == was.Ino, nil
}

// namesOf returns how many names a file has, and its size.
func namesOf(path string) (links uint64, size int64, err error) {
	var st unix.Stat_t
	err = unix.Stat(path, &st)
	return uint64(st.Nlink), st.Size, err //nolint:unconvert // the type differs between systems
}

// number identifies a file on this machine for as long as it exists; empty for nil.
func number(info os.FileInfo) string {
	if info == nil {
		return "none"
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "none"
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

// lockFolder waits until no other process changes the names of files in a folder, and returns what ends the lock. Others hold it
// for milliseconds. A process that was stopped meanwhile would go on with what it saw, so that its lock is respected: the error is
// [hippo.ErrUnavailable] then. Where folders cannot be locked it does nothing.
func lockFolder(dir string) (unlock func(), err error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return func() {}, nil
	}
	unlock = func() { _ = unix.Close(fd) } // that ends the lock
	for waited := time.Duration(0); errors.Is(unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK); waited += lockRetry {
		if waited >= stuckAfter {
			unlock()
			return nil, fmt.Errorf("%w: another process keeps the folder %s locked: let it go on, or end it", hippo.ErrUnavailable, dir)
		}
		time.Sleep(lockRetry)
	}
	return unlock, nil
}

// canWrite reports whether the user may write an existing file. It does not open
// it: closing a file that SQLite has open in this process releases SQLite's
// locks, and other programs may then delete the write-ahead log in use.
func canWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }
