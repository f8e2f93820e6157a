package script

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/verb"
)

// pastFunctions returns the functions about operations and former versions.
func pastFunctions() []function {
	return []function{
		{name: "log", first: "id limit offset", input: func() input { return &logInput{} }},
		{name: "diff", input: func() input { return &diffInput{verb.Diff{From: 1}} }},
		{name: "undo", writes: true, input: func() input { return &undoInput{} }},
	}
}

// logInput lists operations, the newest first: all, or those of one memory.
type logInput struct{ verb.Operations }

func (in *logInput) call(ctx context.Context, s *session, _ *sandbox.Call) (any, error) {
	q, err := in.Request(ctx, s.memories)
	if err != nil {
		return nil, err
	}
	page, err := memory.Operations(ctx, s.memories, q)
	if err != nil {
		return nil, err
	}
	return map[string]any{"$": "results", "items": operationsOf(s, page.Operations), "more": page.More}, nil
}

// operationsOf returns operations as a program sees them.
func operationsOf(s *session, ops []api.Operation) []map[string]any {
	var changed []hippo.ID
	for i := range ops {
		changed = append(changed, ops[i].Memories...)
	}
	short := memory.ShortIDs(s.memories, changed)
	out := make([]map[string]any, len(ops))
	for i := range ops {
		o := &ops[i]
		memories := make([]string, len(o.Memories))
		for j, id := range o.Memories {
			memories[j] = short.Of(id)
		}
		out[i] = map[string]any{
			"$": "struct", "id": o.ID.Short(), "uuid": o.ID, "at": o.At.In(s.memories.Zone()).Format(time.RFC3339), "verb": o.Verb, "source": o.By.Kind,
			"author": o.By.Author, "session": o.By.Session, "reason": o.Reason, "undoes": nil, "memories": memories,
		}
		if !o.Undoes.IsZero() {
			out[i]["undoes"] = o.Undoes.Short()
		}
	}
	return out
}

// diffInput compares two versions of a memory.
type diffInput struct{ verb.Diff }

func (in *diffInput) call(ctx context.Context, s *session, _ *sandbox.Call) (any, error) {
	sides, err := wire.Sides(ctx, s.memories, &in.Diff)
	if err != nil {
		return nil, err
	}
	return difference(ctx, s, sides)
}

// difference returns two versions as a program sees them, and the keys in which they differ. Nil is None.
func difference(ctx context.Context, s *session, sides [2]*hippo.Memory) (map[string]any, error) {
	status, err := memory.Status(ctx, s.memories)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"$": "struct"}
	var raw [2][]byte
	for i, key := range []string{"before", "after"} {
		if out[key] = nil; sides[i] == nil {
			continue
		}
		if raw[i], err = formats.EncodeInsight(sides[i]); err != nil {
			return nil, err
		}
		out[key] = s.values([]*hippo.Memory{sides[i]}, status.Day, nil)[0]
	}
	out["changed"], err = wire.ChangedKeys(raw[0], raw[1])
	return out, err
}

// undoInput undoes an operation.
type undoInput struct{ verb.Undo }

// call returns the ids of the memories that it changed.
func (in *undoInput) call(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	id, err := memory.ResolveOperation(ctx, s.memories, string(in.Operation))
	if err != nil {
		return nil, err
	}
	ms, err := memory.Undo(ctx, engine.Because(s.memories, in.Reason), id)
	if err != nil {
		return nil, err
	}
	s.remember(c, "%s, memories: %d", id.Short(), len(ms))
	ids := hippo.IDsOf(ms...)
	short := memory.ShortIDs(s.memories, ids)
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = short.Of(id)
	}
	return out, nil
}
