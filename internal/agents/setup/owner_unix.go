//go:build unix

package setup

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// otherOwner returns the user ID of the owner of a file; empty if it is the current user.
// A file that is replaced gets a new owner, which root must not do to a user.
func otherOwner(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return ""
	}
	return strconv.Itoa(int(st.Uid))
}
