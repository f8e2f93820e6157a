package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Operations returns a page of the operations that changed memories, the newest first. What is
// recorded and not changed has none. An unknown memory is a [*hippo.UnknownError].
func Operations(ctx context.Context, m *engine.Memories, q api.Operations) (*api.OperationPage, error) {
	return engine.Perform(ctx, m, q, "log", operations)
}

func operations(ctx context.Context, m *engine.Memories, q api.Operations) (*api.OperationPage, error) {
	switch {
	case q.Offset < 0:
		return nil, hippo.Fieldf("Offset", "must not be negative, got %d", q.Offset)
	case q.Count < 0 || q.Count > hippo.MaxCount:
		return nil, hippo.Fieldf("Count", "must be between 0 and %d, got %d", hippo.MaxCount, q.Count)
	case q.Count == 0:
		q.Count = hippo.DefaultCount
	}
	if !q.Memory.IsZero() {
		if _, err := GetHere(ctx, m, []hippo.ID{q.Memory}); err != nil {
			return nil, err
		}
	}
	ops, err := store.Operations(ctx, m.Scoped, driver.OperationQuery{Memory: q.Memory, Offset: q.Offset, Limit: q.Count + 1})
	if err != nil {
		return nil, err
	}
	more := len(ops) > q.Count
	return &api.OperationPage{Operations: ops[:min(len(ops), q.Count)], More: more}, nil
}

// Versions returns former versions: of a memory the newest first, of an operation by the ID of the
// memory. An unknown memory is a [*hippo.UnknownError], an unknown operation [hippo.ErrNotFound].
func Versions(ctx context.Context, m *engine.Memories, q api.Versions) ([]hippo.Version, error) {
	return engine.Perform(ctx, m, q, "versions", formerVersions)
}

func formerVersions(ctx context.Context, m *engine.Memories, q api.Versions) ([]hippo.Version, error) {
	if q == (api.Versions{}) {
		return nil, hippo.Fieldf("Memory", "or Operation must be given")
	}
	d := driver.VersionQuery{Operation: q.Operation}
	if !q.Memory.IsZero() {
		if _, err := GetHere(ctx, m, []hippo.ID{q.Memory}); err != nil {
			return nil, err
		}
		d.Memories = []hippo.ID{q.Memory}
	}
	vs, err := store.Versions(ctx, m.Scoped, d)
	if err == nil && len(vs) == 0 && !q.Operation.IsZero() {
		err = unknownOperation(q.Operation.String())
	}
	return vs, err
}

func unknownOperation(ref string) error {
	return fmt.Errorf("%w: no operation with id %q", hippo.ErrNotFound, ref)
}

// ResolveOperation resolves a reference to the ID of an operation: a UUID, or at least 4 characters of
// its beginning or end, such as [hippo.ID.Short]. Errors are those of [Resolve].
func ResolveOperation(ctx context.Context, m *engine.Memories, ref string) (hippo.ID, error) {
	if id, err := hippo.ParseID(ref); err == nil {
		return id, nil
	}
	return engine.Perform(ctx, m, ref, "resolve_operation", resolveOperation)
}

// shownOperations is how many operations an [hippo.AmbiguousError] lists.
const shownOperations = 10

func resolveOperation(ctx context.Context, m *engine.Memories, ref string) (hippo.ID, error) {
	o, err := operationOf(ctx, m, ref)
	if err != nil {
		return hippo.ID{}, err
	}
	return o.ID, nil
}

// operationOf returns the operation that a reference means.
func operationOf(ctx context.Context, m *engine.Memories, ref string) (*api.Operation, error) {
	digits := strings.ReplaceAll(strings.ToLower(ref), "-", "")
	if len(digits) < minRef || strings.Trim(digits, "0123456789abcdef") != "" {
		return nil, hippo.Fieldf("ID", "must be a UUID, or at least %d digits of its end or beginning, got %.60q", minRef, ref)
	}
	ops, err := store.Operations(ctx, m.Scoped, driver.OperationQuery{Match: digits, Limit: shownOperations})
	switch {
	case err != nil:
		return nil, err
	case len(ops) == 0:
		return nil, unknownOperation(ref)
	case len(ops) == 1:
		return &ops[0], nil
	}
	e := &hippo.AmbiguousError{Ref: ref}
	for i := range ops {
		o := &ops[i]
		e.Candidates = append(e.Candidates, [2]string{o.ID.String(), fmt.Sprintf("%s, %s", o.Verb, when.Clock(o.At, m.Store.Zone()))})
	}
	return nil, e
}

// Undo gives the memories that an operation changed their former values, all or none, and forgets
// what it recorded. It is an operation itself, which can be undone. Accesses stay. It returns the
// memories as stored, by ID. An unknown operation is [hippo.ErrNotFound]; if one of the memories was
// changed since, nothing changes, and the error is [hippo.ErrConflict] and names it and the later
// operation.
func Undo(ctx context.Context, m *engine.Memories, id hippo.ID) ([]*hippo.Memory, error) {
	return engine.Perform(ctx, engine.Identified(m), id, "undo", undo)
}

func undo(ctx context.Context, m *engine.Memories, id hippo.ID) ([]*hippo.Memory, error) {
	done, err := engine.Applied(ctx, m)
	if err != nil {
		return nil, err
	}
	if len(done) > 0 {
		ids := make([]hippo.ID, len(done))
		for i := range done {
			ids[i] = done[i].ID
		}
		return engine.Reader(m).Get(ctx, ids)
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	h, err := successionsOfUndo(ctx, m, id)
	if err != nil {
		return nil, err
	}
	return store.Undo(ctx, store.As(m.Scoped, engine.Operation(m, hippo.VerbUndo)), id, h.Former, h.Release)
}
