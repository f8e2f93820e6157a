//go:build unix

package walk

import "syscall"

// noWait opens a pipe without waiting for its writer.
const noWait = syscall.O_NONBLOCK
