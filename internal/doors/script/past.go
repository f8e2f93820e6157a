package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// pastFunctions returns the functions about operations and former versions.
func pastFunctions() []function {
	return []function{
		{name: "log", params: []string{"id", "limit", "offset"}, call: pastLog},
		{name: "diff", params: []string{"id", "from_version", "to_version"}, call: pastDiff},
		{name: "undo", params: []string{"operation", "reason"}, writes: true, call: pastUndo},
	}
}

// pastLog lists operations, the newest first: all, or those of one memory.
func pastLog(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in struct {
		ID     texts `json:"id"`
		Limit  *int  `json:"limit"`
		Offset int   `json:"offset"`
	}
	if err := decode(c, &in); err != nil {
		return nil, err
	}
	limit, err := (&searchPage{Limit: in.Limit}).limit()
	if err != nil {
		return nil, err
	}
	q := api.Operations{Offset: in.Offset, Count: limit}
	if in.ID != nil {
		if q.Memory, err = resolveOne(ctx, s, in.ID); err != nil {
			return nil, err
		}
	}
	page, err := engine.Operations(ctx, s.memories, q)
	if err != nil {
		return nil, err
	}
	return map[string]any{"$": "results", "items": operationsOf(s, page.Operations), "more": page.More}, nil
}

// resolveOne returns the memory of a reference, forgotten or not.
func resolveOne(ctx context.Context, s *session, refs []string) (hippo.ID, error) {
	ids, err := s.resolveSome(ctx, refs, api.PreferNone)
	if err != nil {
		return hippo.ID{}, err
	}
	if len(ids) != 1 {
		return hippo.ID{}, hippo.Fieldf("id", "must be one memory, got %d", len(ids))
	}
	return ids[0], nil
}

// operationsOf returns operations as a program sees them.
func operationsOf(s *session, ops []api.Operation) []map[string]any {
	var changed []hippo.ID
	for i := range ops {
		changed = append(changed, ops[i].Memories...)
	}
	short := engine.ShortIDs(s.memories, changed)
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

// pastDiff compares two versions of a memory: 0 is what it is, 1 what it was before the last operation, and so on.
func pastDiff(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	in := struct {
		ID   texts `json:"id"`
		From int   `json:"from_version"`
		To   int   `json:"to_version"`
	}{From: 1}
	if err := decode(c, &in); err != nil {
		return nil, err
	}
	id, err := resolveOne(ctx, s, in.ID)
	if err != nil {
		return nil, err
	}
	now, err := s.memories.Get(ctx, []hippo.ID{id})
	if err != nil {
		return nil, err
	}
	vs, err := engine.Versions(ctx, s.memories, api.Versions{Memory: id})
	if err != nil {
		return nil, err
	}
	if len(vs) == 0 {
		return nil, fmt.Errorf("%w: %s was not changed, or its former versions are not kept", hippo.ErrNotFound, id.Short())
	}
	var sides [2]*hippo.Memory
	for i, v := range []struct {
		param string
		n     int
	}{{"from_version", in.From}, {"to_version", in.To}} {
		if v.n < 0 || v.n > len(vs) {
			return nil, hippo.Fieldf(v.param, "must be from 0 to %d, got %d", len(vs), v.n)
		}
		sides[i] = wire.FormerOf(vs[:v.n], now[0])
	}
	return difference(ctx, s, sides)
}

// difference returns two versions as a program sees them, and the keys in which they differ. Nil is None.
func difference(ctx context.Context, s *session, sides [2]*hippo.Memory) (map[string]any, error) {
	status, err := s.memories.Status(ctx)
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

// operationRef is an operation: its ID, or what log returned.
type operationRef string

// UnmarshalJSON implements [json.Unmarshaler].
func (r *operationRef) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte("{")) {
		return json.Unmarshal(b, (*string)(r))
	}
	var o struct {
		UUID string `json:"uuid"`
	}
	err := json.Unmarshal(b, &o)
	*r = operationRef(o.UUID)
	return err
}

// pastUndo undoes an operation and returns the ids of the memories that it changed.
func pastUndo(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in struct {
		Operation operationRef `json:"operation"`
		Reason    string       `json:"reason"`
	}
	if err := decode(c, &in); err != nil {
		return nil, err
	}
	if err := required("operation", in.Operation != ""); err != nil {
		return nil, err
	}
	id, err := engine.ResolveOperation(ctx, s.memories, string(in.Operation))
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return nil, hippo.Fieldf("operation", "%s", bad.Why)
	}
	if err != nil {
		return nil, err
	}
	ms, err := engine.Undo(ctx, engine.Because(s.memories, in.Reason), id)
	if err != nil {
		return nil, err
	}
	s.remember(c, "%s, memories: %d", id.Short(), len(ms))
	ids := hippo.IDsOf(ms...)
	short := engine.ShortIDs(s.memories, ids)
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = short.Of(id)
	}
	return out, nil
}
