//go:build unix

package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// maxSilence is how long the parent waits for a child that does not call. The child ends itself before, unless
// the machine has no time for it.
const maxSilence = 20 * time.Second

// cpuTime returns the processor time of this process; 0 if it is unknown.
func cpuTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
