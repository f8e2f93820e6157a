package sqlitex

// sharesMaps reports whether processes can share memory by a file in a folder.
func sharesMaps(string) bool { return true }
