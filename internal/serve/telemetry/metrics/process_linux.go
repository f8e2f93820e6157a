package metrics

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// system returns what the system knows of this process.
func system() []Figure {
	var out []Figure
	var use unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &use) == nil {
		seconds := float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9
		out = append(out, One("process_cpu_seconds_total", "Time on processors, in seconds.", Counter, seconds))
	}
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages := strings.Fields(string(b)) // all, resident, ...; see proc(5)
		if n, err := strconv.ParseFloat(pages[min(1, len(pages)-1)], 64); err == nil {
			out = append(out, One("process_resident_memory_bytes", "Bytes of memory in use.", Gauge, n*float64(os.Getpagesize())))
		}
	}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		out = append(out, One("process_open_fds", "Open files and connections.", Gauge, float64(len(list))))
	}
	var most unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &most) == nil {
		out = append(out, One("process_max_fds", "The largest number of open files and connections.", Gauge, float64(most.Cur)))
	}
	return out
}
