package verb

import (
	"context"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Operations asks for the operations that changed memories, the newest first. The command line takes the ID as a word.
type Operations struct {
	memory Ref
	Page
}

// Args are the arguments that fill an Operations.
func (o *Operations) Args() []Arg {
	memory := IDArg(&o.memory)
	memory.As[REST], memory.Is, memory.About = "memory", 0, "those of this memory; default: all"
	return append(o.Page.Args(), memory)
}

// Request returns the request. Errors have the names that the caller used.
func (o *Operations) Request(ctx context.Context, m *engine.Memories) (q api.Operations, err error) {
	q.Offset = o.Offset
	if q.Count, err = o.Count(); err == nil {
		q.Memory, err = o.memory.Resolve(ctx, m, api.PreferNone)
	}
	return q, err
}

// Diff asks how a memory was changed between two versions: 0 is what it is, 1 what it was before the last operation, and so on.
type Diff struct {
	ID       Ref
	From, To int
}

// Args are the arguments that fill a Diff.
func (d *Diff) Args() []Arg {
	return []Arg{
		IDArg(&d.ID),
		{Name: "from", As: map[Door]string{Script: "from_version"}, About: "0: what the memory is; 1: what it was before the last operation, and so on", Rules: Schema{"minimum": 0, "default": 1}, To: &d.From},
		{Name: "to", As: map[Door]string{Script: "to_version"}, About: "the version to compare with, as from", Rules: Schema{"minimum": 0, "default": 0}, To: &d.To},
	}
}

// Undo asks to undo an operation.
type Undo struct {
	Operation Operation
	Reason    string
}

// Args are the arguments that fill an Undo.
func (u *Undo) Args() []Arg {
	return []Arg{
		{Name: "operation", As: lacking(Shell), Field: "ID", Is: Required, About: "its UUID, or a short form", Rules: Schema{"minLength": 1}, To: &u.Operation}, ReasonArg(&u.Reason),
	}
}
