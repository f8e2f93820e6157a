package cli

import "syscall"

// Flags of CreateProcess: no console, and less than the priority of others.
// https://learn.microsoft.com/windows/win32/procthread/process-creation-flags
const (
	detachedProcess     = 0x00000008
	belowNormalPriority = 0x00004000
)

// detached lets a process outlive the terminal.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | belowNormalPriority}
}

// lowerPriority does nothing: the process has been started so.
func lowerPriority() {}
