package sandbox

import "golang.org/x/sys/unix"

// limitProcess takes from this process what a program does not need: memory beyond [MaxMemory], processor
// time, further files, and files to write to. Linux counts as data what a process may write to and
// shares with nobody, also what it has not written to yet.
func limitProcess() error {
	return setLimits(map[int]uint64{
		unix.RLIMIT_DATA: MaxMemory, unix.RLIMIT_CPU: maxCPU, unix.RLIMIT_NOFILE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0,
	})
}

func setLimits(limits map[int]uint64) error {
	for which, n := range limits {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	return nil
}
