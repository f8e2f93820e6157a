//go:build unix

package sqlitestore

import "golang.org/x/sys/unix"

// mayWrite reports whether the user may write an existing file. It does not open
// it: closing a file that SQLite has open in this process releases SQLite's
// locks, and other programs then take the write-ahead log away under it.
func mayWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }
