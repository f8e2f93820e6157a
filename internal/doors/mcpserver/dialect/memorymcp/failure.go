package memorymcp

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// missingError says that there is no record of a kind with a reference. It is a [hippo.ErrNotFound].
type missingError struct{ what, ref string }

// Error is the message that this system documents.
func (e *missingError) Error() string { return e.what + " not found: " + e.ref }

// Unwrap makes a missingError a [hippo.ErrNotFound].
func (e *missingError) Unwrap() error { return hippo.ErrNotFound }

// failure words an error: the message as text, and as structured content with its code.
func failure(err error) d.Result {
	p := wire.ErrorOf(err, "")
	switch p.Error.Code {
	case hippo.CodeInternal, hippo.CodeUnavailable:
		p.Error.Message = "Database error. Please try again. (" + p.Error.Message + ")"
	case hippo.CodeSecret:
		p.Error.Hint = "nothing was stored; leave the secret out and say where it is kept"
		p.Error.Message += " (" + p.Error.Hint + ")"
	default:
	}
	return d.Result{Text: termtext.Line(p.Error.Message), Data: p, Failed: true}
}

// keyDigits are the bytes at the end of an ID that its key has.
const keyDigits = 10

// keyOf returns the key by which this system knows a memory: the last 20 digits of its ID.
func keyOf(id hippo.ID) string { return hex.EncodeToString(id[len(id)-keyDigits:]) }

// The words for a memory in errors.
const (
	aMemory  = "Memory"
	anEntity = "Entity"
)

// find returns the live memory that an argument refers to. What is the word for it in errors; an entity may also be given by its name. A
// memory that does not exist, and a text that is no reference, are a [*missingError].
func find(ctx context.Context, c *d.Call, what, name string) (*hippo.Memory, error) {
	ref := c.Text(name)
	if ref == "" {
		return nil, hippo.Fieldf(name, "is required: an ID as text")
	}
	id, err := memory.Resolve(ctx, c.Memories, ref, api.PreferLive)
	if err != nil && what == anEntity {
		id, err = knowledge.ResolveNamed(ctx, c.Memories, ref, api.PreferLive)
	}
	if _, noRef := errors.AsType[*hippo.FieldError](err); noRef || errors.Is(err, hippo.ErrNotFound) {
		return nil, &missingError{what, ref}
	}
	if err != nil {
		return nil, verb.Renamed(err, name)
	}
	ms, err := memory.Get(ctx, c.Memories, []hippo.ID{id})
	if errors.Is(err, hippo.ErrNotFound) || err == nil && ms[0].Forgotten() {
		return nil, &missingError{what, ref}
	}
	if err != nil {
		return nil, err
	}
	return ms[0], nil
}

// findMemory is [find] for the argument id.
func findMemory(ctx context.Context, c *d.Call) (*hippo.Memory, error) {
	return find(ctx, c, aMemory, "id")
}
