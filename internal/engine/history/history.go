package history

import (
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Created returns when the memories that pass the filter of a list were recorded, in UTC, in
// ascending order; Offset and Count are not used. Cost: a scan of the index.
func Created(ctx context.Context, m *engine.Memories, q api.List) ([]time.Time, error) {
	return engine.Perform(ctx, m, q, "created", created)
}

func created(ctx context.Context, m *engine.Memories, q api.List) ([]time.Time, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	of, err := memory.BroughtBy(ctx, m, q.Import, &q.Filter)
	if err != nil {
		return nil, err
	}
	return createdArrived(ctx, m, q, of)
}

// createdArrived is [created] of what an import has brought.
func createdArrived(ctx context.Context, m *engine.Memories, q api.List, of memory.Brought) ([]time.Time, error) {
	if known := q.Filter.KnownAt; engine.IsPast(m, q.Filter.Moment) {
		q.Filter.KnownAt = time.Time{}
		out, _, err := engine.InPast(ctx, m, known, func(p *engine.Memories) ([]time.Time, error) { return createdArrived(ctx, p, q, of) })
		return out, err
	}
	keys, err := memory.KeysAmong(ctx, m, q, of)
	if err != nil {
		return nil, err
	}
	micros := make([]int64, len(keys))
	for i, k := range keys {
		micros[i] = k.CreatedAt
	}
	slices.Sort(micros)
	times := make([]time.Time, len(micros))
	for i, t := range micros {
		times[i] = time.UnixMicro(t).UTC()
	}
	return times, nil
}

// Predecessors returns the memories that one supersedes, the newest first, forgotten ones apart.
// Cost: a scan of the index.
func Predecessors(ctx context.Context, m *engine.Memories, id hippo.ID) ([]*hippo.Memory, error) {
	return engine.Perform(ctx, m, id, "predecessors", predecessors)
}

func predecessors(ctx context.Context, m *engine.Memories, id hippo.ID) ([]*hippo.Memory, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	var keys []retrieve.Key
	err := m.Indexed(ctx, func() error {
		r, err := m.Index.Search(ctx, &retrieve.Query{Scope: m.Scope, Filter: hippo.Filter{Archived: true}})
		if err != nil {
			return err
		}
		defer r.Close()
		keys = keys[:0]
		at, ok := r.Reader.Find(id)
		if !ok {
			return nil
		}
		for i := range r.Matches {
			doc := r.Matches[i].Doc
			if !r.Reader.Row(doc).Superseded {
				continue
			}
			if next, ok := r.Reader.Successor(doc); ok && next == at {
				keys = append(keys, r.Reader.Key(doc))
			}
		}
		return nil
	})
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	slices.SortFunc(keys, retrieve.Key.Compare)
	ids := make([]hippo.ID, min(len(keys), hippo.MaxIDs))
	for i := range ids {
		ids[i] = keys[i].ID
	}
	return m.Scoped.Get(ctx, ids)
}
