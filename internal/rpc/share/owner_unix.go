//go:build unix

package share

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to the user of this process.
func isOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// identityOf returns the device and the number of a file; empty if it cannot be read.
func identityOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}
