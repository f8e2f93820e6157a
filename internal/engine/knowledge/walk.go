package knowledge

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func keepsKind(f *api.GraphFilter, kind string) bool {
	if f.Kinds != nil {
		return slices.Contains(f.Kinds, kind)
	}
	return f.Learned || kind != hippo.CoRecalled
}

// walk is a breadth-first search over the relations of memories, which reads one level at a time.
type walk struct {
	memories  *engine.Memories
	filter    *api.GraphFilter
	direction api.Direction
	limit     int

	order     []hippo.ID // the nearest first
	distance  map[hippo.ID]int
	relations driver.Graph
	level     []hippo.ID // those whose relations were not read yet
	partial   []hippo.ID
	omitted   map[hippo.ID]bool
}

func newWalk(m *engine.Memories, start hippo.ID, f *api.GraphFilter, d api.Direction, limit int) *walk {
	one := []hippo.ID{start}
	return &walk{
		memories: m, filter: f, direction: d, limit: limit,
		order: one, level: one, distance: map[hippo.ID]int{start: 0}, omitted: make(map[hippo.ID]bool),
	}
}

// step goes one relation further. Without a level it does nothing.
func (w *walk) step(ctx context.Context) error {
	level := w.level
	found, err := w.read(ctx, level)
	if err != nil {
		return err
	}
	w.level = nil
	for _, id := range level {
		for _, r := range w.chosen(&found, id) {
			w.relations.Set(r)
			w.reach(r.Other(id), w.distance[id]+1)
		}
	}
	return nil
}

// read returns what relations memories have, by a read of the store.
func (w *walk) read(ctx context.Context, ids []hippo.ID) (found driver.Graph, _ error) {
	if len(ids) == 0 {
		return found, nil
	}
	list, err := w.memories.Scoped.Relations(ctx, ids, w.filter.At.ValidAt, math.MaxInt32) // the strongest may be of other kinds
	if err != nil {
		return found, err
	}
	at := w.filter.At.ValidAt
	if at.IsZero() {
		at = w.memories.Clock()
	}
	for _, r := range engine.Weighed(&w.memories.Weights.Relations, list, at) {
		if keepsKind(w.filter, r.Kind) {
			found.Set(r)
		}
	}
	return found, nil
}

// chosen returns the relations that a walk follows from a memory: the strongest, at most [MaxRelations].
func (w *walk) chosen(found *driver.Graph, id hippo.ID) []hippo.Relation {
	list := slices.DeleteFunc(found.At(id), func(r hippo.Relation) bool {
		return w.direction == api.DirectionOut && r.From != id || w.direction == api.DirectionIn && r.To != id
	})
	slices.SortFunc(list, func(a, b hippo.Relation) int { return driver.Stronger(&a, &b) })
	if len(list) > MaxRelations {
		w.partial = append(w.partial, id)
		list = list[:MaxRelations]
	}
	return list
}

// reach adds a memory that is new, within the limit.
func (w *walk) reach(id hippo.ID, distance int) {
	if _, seen := w.distance[id]; seen {
		return
	}
	if len(w.order) >= w.limit {
		w.omitted[id] = true
		return
	}
	w.order, w.level = append(w.order, id), append(w.level, id)
	w.distance[id] = distance
}

// inside returns the relations of which the walk has both ends, by From, To and Kind.
func (w *walk) inside() []hippo.Relation {
	return slices.DeleteFunc(w.relations.All(), func(r hippo.Relation) bool {
		_, from := w.distance[r.From]
		_, to := w.distance[r.To]
		return !from || !to
	})
}

// back returns the relations of the walk by which a memory is one step nearer to the start, the strongest of each neighbour,
// by the ID of that.
func (w *walk) back(id hippo.ID) []hippo.Relation {
	best := make(map[hippo.ID]hippo.Relation)
	for _, r := range w.relations.At(id) {
		other := r.Other(id)
		if d, seen := w.distance[other]; !seen || d != w.distance[id]-1 || w.direction == api.DirectionOut && r.To != id || w.direction == api.DirectionIn && r.From != id {
			continue
		}
		if old, ok := best[other]; !ok || driver.Stronger(&r, &old) < 0 {
			best[other] = r
		}
	}
	out := make([]hippo.Relation, 0, len(best))
	for _, r := range best {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b hippo.Relation) int { return a.Other(id).Compare(b.Other(id)) })
	return out
}

// inGraph runs a verb as of what was known at a time, if the filter asks for that.
func inGraph[T any](ctx context.Context, m *engine.Memories, f *api.GraphFilter, run func(*engine.Memories) (*T, error)) (out *T, note string, err error) {
	known := f.At.KnownAt
	past := engine.IsPast(m, f.At)
	if f.At.KnownAt = (time.Time{}); past {
		return engine.InPast(ctx, m, known, run)
	}
	out, err = run(m)
	return out, "", err
}
