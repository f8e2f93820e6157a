//go:build !unix

package sqlitex

import "os"

// replaceable says that a file can be renamed or deleted while it is open.
const replaceable = false

// isAt reports whether a file is at a path.
func isAt(path string, info os.FileInfo) (bool, error) {
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, info), err
}

func number(os.FileInfo) string { return "none" }

func lockFolder(string) (unlock func()) { return func() {} }

// canWrite reports whether the user may write an existing file.
func canWrite(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !os.IsPermission(err)
	}
	return f.Close() == nil
}
