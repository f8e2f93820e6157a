package sandbox

import (
	"bufio"
	"io"
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
// code, with which the process must end at once: the program may still run. It limits the whole process, so that nothing
// else may run in it.
func Child(in io.Reader, out io.Writer) int {
	over := make(chan int, 2) // of the program and of the watchdog
	w := &watchdog{over: over}
	limitRuntime(w)
	if err := limitProcess(); err != nil {
		return exitProtocol
	}
	go func() { over <- serve(in, out, w) }()
	return <-over
}

// serve evaluates a program and returns the exit code.
func serve(in io.Reader, out io.Writer, w *watchdog) int {
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
		w.answered.Store(int64(cpuTime()))
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
	time.AfterFunc(watchInterval, w.check)
}

// watchInterval is how often the watchdog checks.
const watchInterval = 5 * time.Millisecond

// watchdog bounds memory and processor time.
type watchdog struct {
	over chan<- int
	// answered is the processor time when the last call was answered, as a [time.Duration].
	answered atomic.Int64
}

// check ends the process if it holds more than [MaxMemory] or has computed for more than [MaxCompute], and checks
// again later.
func (w *watchdog) check() {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	switch {
	case sample[0].Value.Uint64() > MaxMemory+sample[1].Value.Uint64():
		w.end(exitMemory)
	case cpuTime()-time.Duration(w.answered.Load()) > MaxCompute:
		w.end(exitTime)
	default:
		time.AfterFunc(watchInterval, w.check)
	}
}

// end ends the process, unless the program has done so.
func (w *watchdog) end(code int) {
	select {
	case w.over <- code:
	default:
	}
}
