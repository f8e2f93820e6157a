//go:build !unix

package sqlitex

import "os"

// canWrite reports whether the user may write an existing file.
func canWrite(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !os.IsPermission(err)
	}
	return f.Close() == nil
}
