package restapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// logInput asks for the operations that changed memories.
type logInput struct{ verb.Operations }

// operationList is a page of operations, the newest first.
type operationList struct {
	Operations []wire.Operation `json:"operations"`
	// More: there are older ones.
	More bool `json:"more"`
}

func (in *logInput) call(ctx context.Context, r *request) (reply, error) {
	q, err := in.Request(ctx, r.Memories)
	if err != nil {
		return reply{}, err
	}
	page, err := memory.Operations(ctx, r.Memories, q)
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
type diffInput struct{ verb.Diff }

func newDiffInput() input { return &diffInput{verb.Diff{From: 1}} }

// difference is two versions of a memory and the names of the keys in which they differ. One that is absent is of a time before the
// memory was recorded.
type difference struct {
	Changed []string `json:"changed"`
	Before  *insight `json:"before,omitempty"`
	After   *insight `json:"after,omitempty"`
}

func (in *diffInput) call(ctx context.Context, r *request) (reply, error) {
	sides, err := wire.Sides(ctx, r.Memories, &in.Diff)
	if err != nil {
		return reply{}, err
	}
	var out difference
	for i, to := range []**insight{&out.Before, &out.After} {
		if sides[i] == nil {
			continue
		}
		list, err := insightsOf(sides[i:i+1], r.server.Now())
		if err != nil {
			return reply{}, err
		}
		*to = &list[0]
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
type undoInput struct{ verb.Undo }

// undone has the memories that an undo changed.
type undone struct {
	UUIDs []hippo.ID `json:"uuids"`
}

func (in *undoInput) call(ctx context.Context, r *request) (reply, error) {
	id, err := memory.ResolveOperation(ctx, r.Memories, string(in.Operation))
	if err != nil {
		return reply{}, err
	}
	ms, err := memory.Undo(ctx, changing(r.Memories, r.caller, in.Reason), id)
	if err != nil {
		return reply{}, err
	}
	out := undone{UUIDs: make([]hippo.ID, len(ms))}
	for i, m := range ms {
		out.UUIDs[i] = m.ID
	}
	return reply{status: http.StatusOK, data: out, count: len(ms)}, nil
}
