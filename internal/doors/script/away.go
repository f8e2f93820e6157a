package script

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/verb"
)

// verbName is the name of the verb that runs a program.
const verbName = "runProgram"

// awayArgs are a program, and what its caller knows that the server does not.
type awayArgs struct {
	Program verb.Program
	Now     time.Time
	Work    api.Work
	Source  hippo.Source // of the memories without a situation
	Dir     string       // that the caller works in; empty: it is not known
}

// awayResult is a report, or a failure of the program.
type awayResult struct {
	Report  *Report          `json:",omitempty"`
	Failure *sandbox.Failure `json:",omitempty"`
	Code    hippo.Code       `json:",omitempty"`
	Printed string           `json:",omitempty"`
}

// errRepeated is the error of a program that may have run and writes: its writes must not be stored twice.
var errRepeated = fmt.Errorf("%w: the connection broke while the program ran: whether its writes are stored is not known; look before running it again", hippo.ErrUnavailable)

// runAway runs a program where the store is.
func runAway(ctx context.Context, m *engine.Memories, c Caller, p verb.Program) (*Report, error) {
	a := awayArgs{Program: p, Now: c.Now().In(m.Zone())}
	if c.Trees != nil {
		a.Dir = c.Trees.Dir()
	}
	if c.Work != nil && strings.Contains(p.Source, "context") { // to look costs more than most programs
		a.Work = c.Work(ctx)
	}
	if c.Place != nil && !p.ReadOnly {
		var x hippo.Memory
		c.Place(&x)
		a.Source = x.Source
	}
	var out awayResult
	if err := engine.CallVerb(ctx, m, verbName, a, &out); err != nil {
		return nil, err
	}
	if out.Failure != nil {
		return nil, &Error{out.Failure, out.Code, out.Printed}
	}
	return out.Report, nil
}

// Verb returns the verb that runs the programs of remote callers with r, which see the trees that trees returns for the folder of the caller; nil: none.
// It needs the right to read: what a program writes is checked as the writes of any caller are.
func (r *Runner) Verb(trees func(dir string) sources.Trees) engine.Verb {
	return engine.NewVerb(verbName, hippo.RightRead, func(ctx context.Context, m *engine.Memories, a awayArgs) (out awayResult, err error) {
		scope, repeated := engine.CallerOf(m)
		c := Caller{Scope: scope, Now: func() time.Time { return a.Now }, Work: func(context.Context) api.Work { return a.Work }, repeated: repeated}
		if trees != nil {
			c.Trees = trees(a.Dir)
		}
		c.Place = func(x *hippo.Memory) {
			if len(x.Situation) == 0 {
				x.Source.Session, x.Source.Seq = a.Source.Session, a.Source.Seq
			}
		}
		out.Report, err = r.Run(ctx, m.Engine, c, a.Program)
		if failed, ok := errors.AsType[*Error](err); ok {
			return awayResult{Failure: failed.Failure, Code: failed.Code, Printed: failed.Printed}, nil
		}
		return out, err
	})
}
