package restapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
)

// logInput asks for the operations that changed memories.
type logInput struct {
	memory reference
	offset int
	limit  int
}

func newLogInput() input { return &logInput{limit: hippo.DefaultCount} }

func (in *logInput) fields() []field {
	return []field{
		{name: "memory", in: inQuery, to: &in.memory, about: "those of this memory; default: all"},
		{name: "offset", in: inQuery, to: &in.offset, about: "where the page begins", rules: schema{"minimum": 0, "default": 0}},
		{name: "limit", in: inQuery, to: &in.limit, rules: schema{"minimum": 1, "maximum": hippo.MaxCount, "default": hippo.DefaultCount}},
	}
}

// operationList is a page of operations, the newest first.
type operationList struct {
	Operations []wire.Operation `json:"operations"`
	// More: there are older ones.
	More bool `json:"more"`
}

func (in *logInput) call(ctx context.Context, r *request) (reply, error) {
	q := api.Operations{Offset: in.offset, Count: in.limit}
	if in.limit < 1 {
		return reply{}, hippo.Fieldf("limit", "must be between 1 and %d, got %d", hippo.MaxCount, in.limit)
	}
	if in.memory.text != "" {
		id, err := r.resolve(ctx, in.memory, api.PreferNone)
		if err != nil {
			return reply{}, err
		}
		q.Memory = id
	}
	page, err := engine.Operations(ctx, r.Memories, q)
	if err != nil {
		return reply{}, err
	}
	out := operationList{Operations: make([]wire.Operation, len(page.Operations)), More: page.More}
	for i := range page.Operations {
		o := &page.Operations[i]
		out.Operations[i] = wire.OperationOf(&o.Operation, o.Memories)
	}
	return reply{status: http.StatusOK, data: out, count: len(out.Operations)}, nil
}

// diffInput asks how a memory was changed.
type diffInput struct {
	id       reference
	from, to int
}

func newDiffInput() input { return &diffInput{from: 1} }

func (in *diffInput) fields() []field {
	return []field{
		idField(&in.id),
		{name: "from", in: inQuery, to: &in.from, about: "0: what the memory is; 1: what it was before the last operation, and so on", rules: schema{"minimum": 0, "default": 1}},
		{name: "to", in: inQuery, to: &in.to, about: "the version to compare with, as from", rules: schema{"minimum": 0, "default": 0}},
	}
}

// difference is two versions of a memory and the names of the keys in which they differ. One that is absent is of a time before the
// memory was recorded.
type difference struct {
	Changed []string `json:"changed"`
	Before  *insight `json:"before,omitempty"`
	After   *insight `json:"after,omitempty"`
}

func (in *diffInput) call(ctx context.Context, r *request) (reply, error) {
	id, err := r.resolve(ctx, in.id, api.PreferNone)
	if err != nil {
		return reply{}, err
	}
	now, err := r.Get(ctx, []hippo.ID{id})
	if err != nil {
		return reply{}, err
	}
	vs, err := engine.Versions(ctx, r.Memories, api.Versions{Memory: id})
	if err != nil {
		return reply{}, err
	}
	if len(vs) == 0 {
		return reply{}, fmt.Errorf("%w: %s was not changed, or its former versions are not kept", hippo.ErrNotFound, id.Short())
	}
	var out difference
	for _, side := range []struct {
		name string
		n    int
		to   **insight
	}{{"from", in.from, &out.Before}, {"to", in.to, &out.After}} {
		if side.n < 0 || side.n > len(vs) {
			return reply{}, hippo.Fieldf(side.name, "must be from 0 to %d, got %d", len(vs), side.n)
		}
		m := wire.FormerOf(vs[:side.n], now[0])
		if m == nil {
			continue
		}
		list, err := insightsOf([]*hippo.Memory{m}, r.server.Now())
		if err != nil {
			return reply{}, err
		}
		*side.to = &list[0]
	}
	if out.Changed, err = wire.ChangedKeys(rawOf(out.Before), rawOf(out.After)); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: out, count: 1}, nil
}

// rawOf returns the JSON of a memory, nil for none.
func rawOf(m *insight) json.RawMessage {
	if m == nil {
		return nil
	}
	return m.RawMessage
}

// undoInput undoes an operation.
type undoInput struct{ operation, reason string }

func (in *undoInput) fields() []field {
	return []field{
		{name: "operation", to: &in.operation, required: true, about: "its UUID, or a short form", rules: schema{"minLength": 1}},
		{name: "reason", to: &in.reason, about: "why, for the history", rules: schema{"maxLength": hippo.MaxName}},
	}
}

// undone has the memories that an undo changed.
type undone struct {
	UUIDs []hippo.ID `json:"uuids"`
}

func (in *undoInput) call(ctx context.Context, r *request) (reply, error) {
	id, err := engine.ResolveOperation(ctx, r.Memories, in.operation)
	if err != nil {
		return reply{}, wire.RenameField(err, map[string]string{"ID": "operation"})
	}
	ms, err := engine.Undo(ctx, changing(r.Memories, r.caller, in.reason), id)
	if err != nil {
		return reply{}, err
	}
	out := undone{UUIDs: make([]hippo.ID, len(ms))}
	for i, m := range ms {
		out.UUIDs[i] = m.ID
	}
	return reply{status: http.StatusOK, data: out, count: len(ms)}, nil
}
