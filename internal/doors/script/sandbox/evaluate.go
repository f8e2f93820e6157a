package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	starlarktime "go.starlark.net/lib/time"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const (
	plus = syntax.PLUS
	// programName is the file name in positions.
	programName = "program"
	// lastValue is the global that holds the last expression of a program. It is no name that a
	// program can write.
	lastValue = "$last"
	// resultName is the global that is the result of a program without a last expression.
	resultName = "result"
)

// evaluate runs a program. call answers its calls.
func evaluate(s *Start, call caller) *Outcome {
	e := &evaluation{start: s}
	value, err := e.run(call)
	out := &Outcome{}
	if err == nil {
		out.Text, out.Result, err = e.finish(value)
	}
	if err != nil {
		return &Outcome{Text: e.printed.String(), Result: json.RawMessage("null"), Failure: failureOf(err, s.Program)}
	}
	return out
}

// evaluation is a program that runs.
type evaluation struct {
	start   *Start
	printed strings.Builder
}

// options are the dialect: Starlark with sets, while, and statements at the top level. Without recursion, the
// depth of the evaluator is bounded.
func options() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}
}

// run returns the result of the program: its last expression, or else the global named result.
func (e *evaluation) run(call caller) (starlark.Value, error) {
	if n := len(e.start.Program); n > MaxProgram {
		return nil, fmt.Errorf("the program has %d bytes, at most %d are allowed", n, MaxProgram)
	}
	file, err := options().Parse(programName, e.start.Program, 0)
	if err != nil {
		return nil, err
	}
	keepLast(file)
	env := predeclared(e.start.Functions, call)
	program, err := starlark.FileProgram(file, env.Has)
	if err != nil {
		return nil, err
	}
	thread := &starlark.Thread{Name: programName, Print: e.print}
	thread.SetMaxExecutionSteps(MaxSteps)
	thread.OnMaxSteps = func(t *starlark.Thread) {
		t.Cancel(fmt.Sprintf("more than %d steps", MaxSteps))
	}
	starlarktime.SetNow(thread, func() (time.Time, error) { return e.start.Now, nil })
	globals, err := program.Init(thread, env)
	if err != nil {
		return nil, err
	}
	last, named := globals[lastValue], globals[resultName]
	if last == nil || last == starlark.None && named != nil {
		last = named
	}
	if last == nil {
		return starlark.None, nil
	}
	return last, nil
}

// keepLast makes a last statement that is an expression an assignment.
func keepLast(file *syntax.File) {
	n := len(file.Stmts)
	if n == 0 {
		return
	}
	if last, ok := file.Stmts[n-1].(*syntax.ExprStmt); ok {
		start, _ := last.Span()
		file.Stmts[n-1] = &syntax.AssignStmt{
			OpPos: start, Op: syntax.EQ, LHS: &syntax.Ident{NamePos: start, Name: lastValue}, RHS: last.X,
		}
	}
}

// print keeps what the program prints, up to [MaxOutput].
func (e *evaluation) print(thread *starlark.Thread, text string) {
	if e.printed.Len()+len(text) >= MaxOutput {
		thread.Cancel(errLarge("the program printed").Error())
		return
	}
	e.printed.WriteString(text + "\n")
}

// finish returns what was printed and the result, as text and as JSON.
func (e *evaluation) finish(value starlark.Value) (string, json.RawMessage, error) {
	text, err := textOf(value)
	if err != nil {
		return "", nil, err
	}
	p, err := plain(value, 0)
	if err != nil {
		return "", nil, err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return "", nil, err
	}
	if len(raw) > 8*MaxOutput {
		return "", nil, errLarge("the result has")
	}
	return strings.TrimSuffix(e.printed.String()+text, "\n"), raw, nil
}

// failureOf returns where an error happened in the program, and a hint.
func failureOf(err error, program string) *Failure {
	f := &Failure{}
	var at syntax.Position
	at, f.Message = locate(err)
	f.Message = strings.TrimPrefix(f.Message, "Starlark computation cancelled: ")
	f.Line, f.Column = int(at.Line), int(at.Col)
	if lines := strings.Split(program, "\n"); f.Line > 0 && f.Line <= len(lines) {
		f.Source = clipped(strings.TrimSpace(lines[f.Line-1]), 200)
	}
	f.Message = clipped(f.Message, 2000)
	f.Hint = hintFor(f)
	return f
}

// locate returns where an error of the parser, the resolver or the evaluator is, and its message without the place.
func locate(err error) (at syntax.Position, text string) {
	if e, ok := errors.AsType[syntax.Error](err); ok {
		return e.Pos, e.Msg
	}
	if e, ok := errors.AsType[resolve.ErrorList](err); ok {
		return e[0].Pos, e[0].Msg
	}
	if e, ok := errors.AsType[*starlark.EvalError](err); ok {
		return place(e), e.Msg
	}
	return at, err.Error()
}

// place returns the position of the innermost frame that is in the program.
func place(e *starlark.EvalError) (at syntax.Position) {
	for i := range len(e.CallStack) {
		if p := e.CallStack.At(i).Pos; p.Filename() == programName {
			return p
		}
	}
	return at
}

// clipped returns at most n bytes of a text, cut at a character.
func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
