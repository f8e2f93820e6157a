//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file inherits the permissions of its folder.
func keepOwner(*os.File, fs.FileInfo) {}
