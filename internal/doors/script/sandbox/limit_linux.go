package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// limitProcess takes from this process what a program does not need: memory beyond [MaxMemory], processor
// time, further files, and files to write to.
//
// Memory is bounded as address space: a large allocation of the runtime reserves it first, and fails.
// RLIMIT_DATA would not do, because Linux does not count as new what replaces a reservation.
func limitProcess() error {
	if err := closeInherited(); err != nil {
		return err
	}
	space, err := addressSpace()
	if err != nil {
		return err
	}
	for which, n := range map[int]uint64{
		unix.RLIMIT_AS: space + MaxMemory, unix.RLIMIT_CPU: maxCPU, unix.RLIMIT_NOFILE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0,
	} {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	return nil
}

// closeInherited closes the files that the parent left open, but for the three pipes. Those of the runtime stay: they
// belong to the kernel, or say how many processors there are.
func closeInherited() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil //nolint:nilerr // without /proc they stay; a program cannot reach them
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		to, gone := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || fd <= 2 || gone != nil || strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/sys/fs/cgroup/") {
			continue
		}
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	return nil
}

// withoutProc is the address space that a process of the runtime is assumed to have where /proc is not mounted,
// in bytes.
const withoutProc = 4 << 30

// addressSpace returns how much address space the process has now, in bytes.
func addressSpace() (uint64, error) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return withoutProc, nil //nolint:nilerr // the watchdog bounds memory there
	}
	var pages uint64
	if _, err := fmt.Sscan(string(b), &pages); err != nil {
		return 0, fmt.Errorf("/proc/self/statm: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil //nolint:gosec // it is above 0
}
