// Package dialect is the contract of the tools of other memory systems, so that agents and
// programs which know these systems find them here. A system is a table: name, arguments,
// verb. The schema that is listed and what is decoded both follow from the
// arguments, see [verb.Table]. A new system is a new table; nothing else knows it.
package dialect

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/verb"
)

// System is a memory system whose tools are spoken here.
type System struct {
	// Name selects it, as in "memory-service".
	Name  string
	Tools []Tool
	// Is holds traits that every argument has.
	Is verb.Trait
	// Failure words an error as the system does; nil: as the tools of this program do.
	Failure func(error) Result
}

// Tool is one row of the table of a system.
type Tool struct {
	Name, Description string
	Params            verb.Table
	// Unlisted tools answer, but are not listed: an older name, or a function that is missing here.
	Unlisted              bool
	ReadOnly, Destructive bool
	// Code: it is about source trees, and listed only where there are some to ask about.
	Code bool
	// Writes: it can do nothing for a caller who may only read.
	Writes bool
	// Call carries out a call whose arguments are decoded.
	Call func(ctx context.Context, c *Call) (Result, error)
	// Missing names what Hippo lacks and what to use instead, for a tool without Call.
	Missing string
}

// Call is one call: the memories in the scope of its client, and the arguments.
type Call struct {
	*engine.Memories
	Scope hippo.Scope
	// Now is the time of the call, in the zone of the user; Began is when the server began.
	Now, Began time.Time
	// Code is the source trees; nil: there are none here.
	Code Code
	// Version is that of this program.
	Version string
	verb.Input
	// Args are the arguments, with what was said of each.
	Args []verb.Arg
}

// Code is the source trees that tools may ask about, and index.
type Code interface {
	sources.Trees
	// Update brings the index of a tree up to date, and keeps it so; rebuild parses all files again. If ctx ends first, the update
	// goes on.
	Update(ctx context.Context, t *code.Tree, rebuild bool) (*api.CodeReport, error)
	// Stop ends updates of a tree, until the next call of Follow or Update.
	Stop(t *code.Tree)
	// Project is the root of the project that the caller works on, which may be indexed at its wish; empty: none.
	Project() string
}

// Result is the answer of a tool: text for a model, data for a program (nil: the text is all),
// and how many memories it returned or changed. Failed: the text is an error that the system words itself.
type Result struct {
	Text string
	Data any
	// Note is for the model, beside the text, which may be JSON.
	Note   string
	Count  int
	Failed bool
}

// JSON returns a result whose text is a value as JSON.
func JSON(v any, count int) (Result, error) {
	text, err := json.Marshal(v)
	return Result{Text: string(text), Count: count}, err
}

// Missing is the error of what a system has and Hippo lacks: what, and what to use instead.
// It is a [hippo.ErrUnsupported].
func Missing(what string) error {
	return fmt.Errorf("%w: %s; nothing was changed", hippo.ErrUnsupported, what)
}

// Find returns the tool of a name; nil if there is none.
func (s *System) Find(name string) *Tool {
	for i := range s.Tools {
		if s.Tools[i].Name == name {
			return &s.Tools[i]
		}
	}
	return nil
}

// Schema returns the JSON Schema of the arguments of a tool.
func (t *Tool) Schema() json.RawMessage {
	text, _ := json.Marshal(t.Params.Schema()) //nolint:errchkjson // texts and numbers have a JSON form
	return text
}

// Decode returns the arguments of a call, which all have some traits, with what was said of each.
func (t *Tool) Decode(raw json.RawMessage, is verb.Trait) (verb.Input, []verb.Arg, error) {
	if t.Call == nil {
		return nil, nil, Missing(t.Missing)
	}
	return t.Params.Decode(verb.MCP, raw, is)
}

// Run carries out a call. Errors have the names that the caller used.
func (t *Tool) Run(ctx context.Context, c *Call) (Result, error) {
	r, err := t.Call(ctx, c)
	return r, verb.Named(err, verb.MCP, c.Args)
}

// HintedError is an error with what to do about it, in place of the hint of its code.
type HintedError struct {
	Err  error
	Hint string
}

func (e *HintedError) Error() string { return e.Err.Error() }

func (e *HintedError) Unwrap() error { return e.Err }
