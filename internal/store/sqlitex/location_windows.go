package sqlitex

import (
	"os"
	"syscall"
)

// replaceable says that a file can be renamed or deleted while it is open.
const replaceable = false

// isAt reports whether a file is at a path.
func isAt(path string, info os.FileInfo) (bool, error) {
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, info), err
}

// namesOf returns how many names a file has, and its size.
func namesOf(path string) (links uint64, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var info syscall.ByHandleFileInformation
	err = syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info)
	return uint64(info.NumberOfLinks), int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow), err
}

func number(os.FileInfo) string { return "none" }

func lockFolder(string) (unlock func(), err error) { return func() {}, nil }

// canWrite reports whether the user may write an existing file.
func canWrite(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !os.IsPermission(err)
	}
	return f.Close() == nil
}
