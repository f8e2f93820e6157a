//go:build !unix

package sqlitestore

import "os"

// mayWrite reports whether the user may write an existing file.
func mayWrite(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !os.IsPermission(err)
	}
	return f.Close() == nil
}
