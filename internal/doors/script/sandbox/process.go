package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hippo-memory/hippo"
)

// Handler answers the calls of a program, one at a time. An error ends the program at once, without a chance to go
// on: it is for what is not the fault of the program.
type Handler func(ctx context.Context, c *Call) (*Reply, error)

// Run starts command, which must call [Child], and runs a program in it. A program that fails is an
// [Outcome] with a Failure, and so is one that breaks a limit. The error is that of the handler, of ctx, or of
// starting the child. The child has ended when Run returns.
//
// Cost: that of starting the process, some milliseconds, and some 30 us a call.
func Run(ctx context.Context, command []string, s *Start, handle Handler) (*Outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, MaxTime, errTime)
	defer cancel()
	p, err := start(ctx, command)
	if err != nil {
		return nil, fmt.Errorf("start the process of a program: %w", err)
	}
	defer p.end()
	out, err := p.talk(ctx, s, handle)
	if err == nil {
		return out, nil
	}
	failed, isHandler := errors.AsType[*handlerError](err)
	p.end()
	switch {
	case isHandler:
		return nil, failed.err
	case errors.Is(context.Cause(ctx), errTime):
		return overtime("took more than %v with its calls", MaxTime), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return p.failure(err)
}

var errTime = errors.New("time is over")

// handlerError is the error of a handler.
type handlerError struct{ err error }

func (e *handlerError) Error() string { return e.err.Error() }

// process is a child.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	errors *head
	timer  *time.Timer
	late   atomic.Bool // killed because it did not answer
	end    func()
}

// start starts a child with an empty environment and three pipes.
func start(ctx context.Context, command []string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, command[0], command[1:]...), errors: &head{}} //nolint:gosec // it is this program
	p.cmd.Env = []string{}
	p.cmd.Stderr = p.errors
	p.cmd.WaitDelay = time.Second
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.timer = time.AfterFunc(maxSilence, func() {
		p.late.Store(true)
		_ = p.cmd.Process.Kill() // it may have ended
	})
	p.end = sync.OnceFunc(func() {
		p.timer.Stop()
		_ = p.cmd.Process.Kill() // nothing of it is needed any more
		_ = p.cmd.Wait()         // how it ended is in ProcessState
	})
	return p, nil
}

// talk answers the calls of the child until it is done.
func (p *process) talk(ctx context.Context, s *Start, handle Handler) (*Outcome, error) {
	if err := writeFrame(p.in, s); err != nil {
		return nil, err
	}
	for calls := 0; ; calls++ {
		var m message
		if err := readFrame(p.out, &m); err != nil {
			return nil, err
		}
		p.timer.Stop()
		switch {
		case m.Done != nil:
			return m.Done, nil
		case m.Call == nil || calls > MaxCalls:
			return nil, errors.New("the process of the program sent what is no message")
		}
		reply, err := handle(ctx, m.Call)
		if err != nil {
			return nil, &handlerError{err}
		}
		p.timer.Reset(maxSilence)
		if err := writeFrame(p.in, reply); err != nil {
			return nil, err
		}
	}
}

// failure says why a child ended without an outcome. One that neither the program nor a limit has ended is an error:
// [hippo.ErrUnavailable] if somebody killed it.
func (p *process) failure(err error) (*Outcome, error) {
	said := p.errors.String()
	state := p.cmd.ProcessState
	switch {
	case p.late.Load() || state != nil && state.ExitCode() == exitTime:
		return overtime("computed for more than %v without a call", MaxCompute), nil
	case strings.Contains(said, "stack exceeds") || strings.Contains(said, "stack overflow"):
		return &Outcome{Failure: &Failure{Message: "a value or an expression nests too deeply"}}, nil
	case state != nil && state.ExitCode() == exitMemory || outOfMemory(said):
		return &Outcome{Failure: &Failure{
			Message: fmt.Sprintf("the program needs more than %d MiB of memory", MaxMemory>>20),
			Hint:    "build less: no huge lists, repeats or numbers",
		}}, nil
	case state != nil && state.ExitCode() < 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)):
		return nil, fmt.Errorf("%w: the process that ran the program was ended from outside (%v), nothing was stored: run the program again", hippo.ErrUnavailable, state)
	default:
		return nil, fmt.Errorf("the process of the program ended (%v): %w %s", state, err, clipped(oneLine(said), 300))
	}
}

// outOfMemory reports whether the runtime ended a process for lack of memory or of address space. The last two messages
// are those of the race detector, which may ask for a part of its shadow memory before the program asks for more.
func outOfMemory(said string) bool {
	messages := []string{"out of memory", "cannot allocate memory", "address space collisions", "ThreadSanitizer failed to allocate"}
	return slices.ContainsFunc(messages, func(text string) bool { return strings.Contains(said, text) })
}

// overtime is the outcome of a program that a limit of time ended.
func overtime(format string, limit time.Duration) *Outcome {
	f := &Failure{Message: "the program " + fmt.Sprintf(format, limit)}
	f.Hint = hintFor(f)
	return &Outcome{Failure: f}
}

// keptErrors is how much of what a child says on stderr is kept.
const keptErrors = 4 << 10

// head keeps the beginning of what is written to it.
type head struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (t *head) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[:min(len(b), keptErrors-len(t.text))]...)
	return len(b), nil
}

// String returns what was kept.
func (t *head) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
