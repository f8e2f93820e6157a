//go:build !linux

package sqlitex

// mountedAlone reports whether a file is the root of a mount: only Linux has such mounts.
func mountedAlone(string) bool { return false }
