package sandbox

import "golang.org/x/sys/unix"

// limitProcess takes from this process what a program does not need: processor time, further files, and files to
// write to. Memory is left to the watchdog: macOS does not enforce a limit of it.
func limitProcess() error {
	for which, n := range map[int]uint64{unix.RLIMIT_CPU: maxCPU, unix.RLIMIT_NOFILE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	return nil
}
