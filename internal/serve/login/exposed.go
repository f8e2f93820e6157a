package login

import (
	"io/fs"
	"runtime"
)

// exposed reports whether other users may read or write a file. On Windows the folder of the user has the rights.
func exposed(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}
