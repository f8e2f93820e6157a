//go:build unix

package pgtest

import (
	"os"
	"syscall"
)

// nobody is a user without rights: the server refuses to run as root.
const nobody = 65534

func unprivileged() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

func own(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(dir, nobody, nobody)
}
