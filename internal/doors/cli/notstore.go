package cli

import (
	"io"
	"os"
)

// isJSON reports whether a path is that of a file that begins as JSON does, such as an export.
func isJSON(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was read only
	var b [1]byte
	_, err = io.ReadFull(f, b[:])
	return err == nil && (b[0] == '{' || b[0] == '[')
}
