package hub

import (
	"errors"
	"syscall"
)

// Windows' ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL.
const (
	handleFull = syscall.Errno(39)
	diskFull   = syscall.Errno(112)
)

func isFull(err error) bool {
	return errors.Is(err, handleFull) || errors.Is(err, diskFull)
}

// syncDir does nothing: Windows cannot sync a directory, and NTFS journals names.
func syncDir(string) error { return nil }
