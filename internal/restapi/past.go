package restapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/wire"
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
	q := engine.OperationQuery{Offset: in.offset, Count: in.limit}
	if in.limit < 1 {
		return reply{}, hippo.Fieldf("limit", "must be between 1 and %d, got %d", hippo.MaxCount, in.limit)
	}
	if in.memory.text != "" {
		id, err := r.resolve(ctx, in.memory, engine.PreferNone)
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
	id, err := r.resolve(ctx, in.id, engine.PreferNone)
	if err != nil {
		return reply{}, err
	}
	now, err := r.Get(ctx, []hippo.ID{id})
	if err != nil {
		return reply{}, err
	}
	vs, err := engine.Versions(ctx, r.Memories, engine.VersionQuery{Memory: id})
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
		m := formerOf(vs[:side.n], now[0])
		if m == nil {
			continue
		}
		list, err := insightsOf([]*hippo.Memory{m})
		if err != nil {
			return reply{}, err
		}
		*side.to = &list[0]
	}
	if out.Changed, err = changedKeys(out.Before, out.After); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, data: out, count: 1}, nil
}

// formerOf returns what a memory was before the last of some versions, the newest first; nil if that recorded it. now is what it is.
func formerOf(vs []hippo.Version, now *hippo.Memory) *hippo.Memory {
	for _, v := range slices.Backward(vs) {
		if !v.Unchanged { // an operation that changed only relations has no version of its own
			return v.Before
		}
	}
	return now
}

// changedKeys returns the keys in which two memories differ as JSON, but for the time of the change, in alphabetical order.
func changedKeys(a, b *insight) ([]string, error) {
	var before, after map[string]json.RawMessage
	for _, side := range []struct {
		from *insight
		to   *map[string]json.RawMessage
	}{{a, &before}, {b, &after}} {
		if side.from == nil {
			continue
		}
		raw, err := json.Marshal(side.from)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, side.to); err != nil {
			return nil, err
		}
	}
	out := []string{}
	for _, key := range slices.Sorted(maps.Keys(union(before, after))) {
		if key != "updated_at" && !bytes.Equal(before[key], after[key]) {
			out = append(out, key)
		}
	}
	return out, nil
}

func union(a, b map[string]json.RawMessage) map[string]bool {
	out := make(map[string]bool, len(a)+len(b))
	for _, m := range []map[string]json.RawMessage{a, b} {
		for key := range m {
			out[key] = true
		}
	}
	return out
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
		return reply{}, err
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
