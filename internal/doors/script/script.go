// Package script runs programs of agents over the verbs of the engine, so that an agent searches, filters,
// combines and stores in one call, and reads only the result.
//
// Programs are written in Starlark and run in a child process, see package sandbox; each call of a verb is
// executed here, in the scope of the caller. What a program writes is held back and stored as one
// transaction when it has succeeded. A program that fails, is canceled, or is only tried stores nothing.
package script

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/verb"
)

// ChildArgument is the first argument that makes this program the process of a Starlark program, see [Child].
const ChildArgument = "starlark-child"

// Child is called first in main, with the arguments of the process. If they make it the process of a Starlark program,
// Child runs that and returns the exit code.
func Child(args []string, in io.Reader, out io.Writer) (code int, ran bool) {
	if len(args) < 2 || args[1] != ChildArgument {
		return 0, false
	}
	return sandbox.Child(in, out), true
}

// MaxProgram is the largest source of a [verb.Program], in bytes.
const MaxProgram = sandbox.MaxProgram

const (
	// maxRunning is how many programs of a [Runner] run at the same time, maxWaiting how many
	// wait for their turn.
	maxRunning, maxWaiting = 2, 16
	// maxWrites is how many writes a program may do.
	maxWrites = hippo.MaxIDs
)

// validate reports the first rule that p breaks.
func validate(p *verb.Program) error {
	if p.Source == "" {
		return hippo.Fieldf("Program", "must be a Starlark program, such as: search(\"gateway\", limit=5)")
	}
	if n := len(p.Source); n > MaxProgram {
		return hippo.Fieldf("Program", "must have at most %d bytes, got %d", MaxProgram, n)
	}
	if p.MaxTokens != 0 && (p.MaxTokens < verb.MinReport || p.MaxTokens > verb.MaxReport) {
		return hippo.Fieldf("MaxTokens", "must be between %d and %d, got %d", verb.MinReport, verb.MaxReport, p.MaxTokens)
	}
	return nil
}

// Caller is for whom a program runs.
type Caller struct {
	Scope hippo.Scope
	Now   func() time.Time
	// Work is what is in progress, for the verb context; nil: it is unknown.
	Work func(context.Context) api.Work
	// Trees are the source trees that a search may also ask; nil: none.
	Trees sources.Trees
	// repeated: it may have run before, so that it must not write.
	repeated bool
	// Place completes a new memory with what is known of the conversation; nil: nothing is.
	Place func(*hippo.Memory)
}

// Report is the outcome of a program that succeeded.
type Report struct {
	// Text is for a model: what was printed, the result and the writes, at most MaxTokens by
	// estimate. A note says what was cut.
	Text string
	// Result is the whole result as JSON, null if there is none.
	Result json.RawMessage
	// Writes are those that were stored, or would have been.
	Writes []Write
}

// Error is a program that failed. Nothing was stored. It is of the kind of the call that failed, else an [hippo.ErrInvalid].
type Error struct {
	*sandbox.Failure
	// Code is that of the call; empty if the program itself is wrong.
	Code hippo.Code
	// Printed is what it printed before, at most MaxTokens by estimate.
	Printed string
}

// Error implements error: what failed and where, what to write instead, and that nothing was stored.
func (e *Error) Error() string { return e.Failure.Error() + "\nnothing was stored" }

// Unwrap makes an Error one of its kind.
func (e *Error) Unwrap() error { return cmp.Or(hippo.ErrorOf(e.Code), hippo.ErrInvalid) }

// Runner runs programs, some at a time. It is safe for concurrent use.
type Runner struct {
	command []string
	slots   chan struct{} // one for each that runs
	waiting atomic.Int32
}

// New returns a Runner that starts a command for each program; nil: this program, with [ChildArgument].
func New(command []string) *Runner {
	return &Runner{command: command, slots: make(chan struct{}, maxRunning)}
}

// Run runs a program; one over a store that another process or a server has open runs there, see [Runner.Verb]. One that fails is an [*Error]; other errors are those of the arguments, of the store, of ctx, or
// of starting the process, and nothing is stored then.
//
// Cost: 5 to 10 ms for the process, and the calls.
func (r *Runner) Run(ctx context.Context, e *engine.Engine, c Caller, p verb.Program) (*Report, error) {
	if err := validate(&p); err != nil {
		return nil, err
	}
	command, err := r.childCommand()
	if err != nil {
		return nil, err
	}
	if e.IsRemote() {
		return runAway(ctx, e.In(c.Scope), c, p)
	}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	defer func() { <-r.slots }()
	staged, err := e.Stage(ctx, c.Scope)
	if err != nil {
		return nil, err
	}
	s := &session{memories: staged.Memories, caller: c, program: &p}
	start := &sandbox.Start{Program: p.Source, Now: c.Now().In(e.Zone()), Functions: signatures()}
	out, err := sandbox.Run(ctx, command, start, s.answer)
	return s.finish(ctx, staged, out, err)
}

// finish stores what the program wrote, or drops it.
func (s *session) finish(ctx context.Context, staged *engine.Staged, out *sandbox.Outcome, err error) (*Report, error) {
	limit := cmp.Or(s.program.MaxTokens, verb.DefaultTokens)
	if err == nil && out.Failure != nil {
		err = &Error{out.Failure, s.failed.of(out.Failure), cut(out.Text, limit)}
	}
	if err == nil && s.caller.repeated && len(s.writes) > 0 && !s.program.DryRun {
		err = errRepeated
	}
	if err != nil || s.program.DryRun {
		staged.Discard()
	} else if err = staged.Commit(ctx); len(s.writes) == 0 && engine.IsNotWritable(err) {
		err = nil // only the use of what it read could not be stored
	}
	if err != nil {
		return nil, err
	}
	return &Report{Text: s.text(out.Text, limit), Result: out.Result, Writes: s.writes}, nil
}

// childCommand returns the command of the child process.
func (r *Runner) childCommand() ([]string, error) {
	if r.command != nil {
		return r.command, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to start it again: %w", err)
	}
	return []string{exe, ChildArgument}, nil
}

// begin waits for the turn of a program, unless too many wait already.
func (r *Runner) begin(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
		return nil
	default:
	}
	defer r.waiting.Add(-1)
	if r.waiting.Add(1) > maxWaiting {
		return fmt.Errorf("%w: %d programs run and %d wait: try again later", hippo.ErrUnavailable, maxRunning, maxWaiting)
	}
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
