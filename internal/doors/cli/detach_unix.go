//go:build unix

package cli

import "syscall"

// detached lets a process outlive the terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// lowerPriority lets other processes go first.
func lowerPriority() {
	const nice = 10
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice) // it works without, too
}
