//go:build unix

package sqlitex

import "golang.org/x/sys/unix"

// canWrite reports whether the user may write an existing file. It does not open
// it: closing a file that SQLite has open in this process releases SQLite's
// locks, and other programs may then delete the write-ahead log in use.
func canWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }
