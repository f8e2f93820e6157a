//go:build !unix

package setup

import "io/fs"

// otherOwner returns "": the system refuses what the user must not write.
func otherOwner(fs.FileInfo) string { return "" }
