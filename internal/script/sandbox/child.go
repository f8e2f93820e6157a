package sandbox

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// Exit codes of a child that a limit ended.
const (
	exitProtocol = 2
	exitMemory   = 86
	exitTime     = 87
)

// Child is the main function of the child process: it evaluates the program that in begins with, and returns the exit
// code. It limits the whole process, so that nothing else may run in it.
func Child(in io.Reader, out io.Writer) int {
	w := &watchdog{}
	limitRuntime(w)
	if err := limitProcess(); err != nil {
		return exitProtocol
	}
	var s Start
	r := bufio.NewReader(in)
	if readFrame(r, &s) != nil {
		return exitProtocol
	}
	done := evaluate(&s, func(c *Call) (*Reply, error) {
		if err := writeFrame(out, message{Call: c}); err != nil {
			return nil, err
		}
		var reply Reply
		err := readFrame(r, &reply)
		w.stretch.Store(int64(cpuTime()))
		return &reply, err
	})
	if writeFrame(out, message{Done: done}) != nil {
		return exitProtocol
	}
	return 0
}

// limitRuntime bounds the stack and the heap, and starts the watchdog.
func limitRuntime(w *watchdog) {
	runtime.GOMAXPROCS(2) // one for the program, one for the collector and the watchdog
	debug.SetTraceback("none")
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(MaxMemory * 3 / 4)
	// The first timer opens files of the runtime, which the limits of the process do not allow later.
	time.AfterFunc(watchInterval, w.look)
}

// watchInterval is how often the watchdog looks.
const watchInterval = 5 * time.Millisecond

// watchdog bounds memory and processor time.
type watchdog struct {
	// stretch is the processor time when the last call was answered, as a [time.Duration].
	stretch atomic.Int64
}

// look ends the process if it holds more than [MaxMemory] or has computed for more than [MaxStretch], and looks
// again later.
func (w *watchdog) look() {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Uint64() > MaxMemory+sample[1].Value.Uint64() {
		os.Exit(exitMemory) //nolint:forbidigo // the program that runs cannot be ended otherwise
	}
	if cpuTime()-time.Duration(w.stretch.Load()) > MaxStretch {
		os.Exit(exitTime) //nolint:forbidigo // see above
	}
	time.AfterFunc(watchInterval, w.look)
}
