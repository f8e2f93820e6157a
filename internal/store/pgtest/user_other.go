//go:build !unix

package pgtest

import "syscall"

func unprivileged() *syscall.SysProcAttr { return nil }

func own(string) error { return nil }
