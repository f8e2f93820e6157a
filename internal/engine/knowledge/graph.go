package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store"
)

// pathDepth is the longest path by default.
const pathDepth = 5

// Neighbours returns what is related to a memory, and what is related to that, within the scope, to a depth. Forgotten memories
// are not there. An unknown ID is a [*hippo.UnknownError].
//
// Cost: a read of the store for each level, and one of the memories.
func Neighbours(ctx context.Context, m *engine.Memories, q api.Neighbours) (*api.Subgraph, error) {
	return engine.Perform(ctx, m, q, "neighbours", neighbours)
}

func neighbours(ctx context.Context, m *engine.Memories, q api.Neighbours) (*api.Subgraph, error) {
	if err := checkWalk(m, &q.Direction, &q.Depth, 1, &q.Count, api.MaxNodes); err != nil {
		return nil, err
	}
	out, note, err := inGraph(ctx, m, &q.GraphFilter, func(m *engine.Memories) (*api.Subgraph, error) {
		if _, err := memory.GetHere(ctx, m, []hippo.ID{q.ID}); err != nil {
			return nil, err
		}
		w := newWalk(m, q.ID, &q.GraphFilter, q.Direction, q.Count)
		for range q.Depth {
			if err := w.step(ctx); err != nil {
				return nil, err
			}
			if len(w.omitted) > 0 {
				break
			}
		}
		return w.subgraph(ctx)
	})
	if err == nil {
		out.Degraded = engine.Noted(out.Degraded, note)
	}
	return out, err
}

func (w *walk) subgraph(ctx context.Context) (*api.Subgraph, error) {
	ms, err := store.GetAll(ctx, w.memories.Scoped, w.order)
	if err != nil {
		return nil, err
	}
	at := cmp.Or(w.filter.At.ValidAt, w.memories.Clock())
	out := &api.Subgraph{Relations: engine.HoldingFirst(w.inside(), func(r hippo.Relation) bool { return r.ValidAt(at) }), GraphBounds: api.GraphBounds{Frontier: w.level, Partial: w.partial, Omitted: len(w.omitted)}}
	for _, x := range ms {
		out.Nodes = append(out.Nodes, api.Node{Memory: x, Distance: w.distance[x.ID]})
	}
	engine.HoldingFirst(out.Nodes, func(n api.Node) bool { return n.StateAt(at) == hippo.Holds })
	slices.SortStableFunc(out.Nodes, func(a, b api.Node) int { return cmp.Compare(a.Distance, b.Distance) })
	return out, nil
}

// checkWalk checks what the queries of walks have in common, and sets the defaults.
func checkWalk(m *engine.Memories, d *api.Direction, depth *int, usual int, count *int, most int) error {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return err
	}
	if *d == "" {
		*d = api.DirectionBoth
	}
	if err := hippo.OneOf("direction", *d, api.DirectionBoth, api.DirectionOut, api.DirectionIn); err != nil {
		return err
	}
	for _, x := range []struct {
		name        string
		value       *int
		usual, most int
	}{{"depth", depth, usual, api.MaxDepth}, {"count", count, most, most}} {
		if *x.value == 0 {
			*x.value = x.usual
		}
		if *x.value < 1 || *x.value > x.most {
			return hippo.Fieldf(x.name, "must be between 1 and %d, got %d", x.most, *x.value)
		}
	}
	return nil
}

// Paths returns the shortest paths between two memories within the scope, in the order of the IDs on them. Unknown IDs are a
// [*hippo.UnknownError].
//
// Cost: as that of two calls of [Neighbours] of half the depth, for it walks from both ends.
func Paths(ctx context.Context, m *engine.Memories, q api.Paths) (*api.PathList, error) {
	return engine.Perform(ctx, m, q, "paths", paths)
}

func paths(ctx context.Context, m *engine.Memories, q api.Paths) (*api.PathList, error) {
	if err := checkWalk(m, &q.Direction, &q.Depth, pathDepth, &q.Count, api.MaxPaths); err != nil {
		return nil, err
	}
	out, note, err := inGraph(ctx, m, &q.GraphFilter, func(m *engine.Memories) (*api.PathList, error) {
		if _, err := memory.GetHere(ctx, m, []hippo.ID{q.From, q.To}); err != nil {
			return nil, err
		}
		s := newMeeting(m, &q)
		if err := s.walk(ctx, q.Depth); err != nil {
			return nil, err
		}
		return s.list(ctx, m, q.Count)
	})
	if err == nil {
		out.Degraded = engine.Noted(out.Degraded, note)
	}
	return out, err
}

// meeting is a pair of walks, from both ends of a path.
type meeting struct {
	there, back *walk
	at          []hippo.ID // where they met
}

func newMeeting(m *engine.Memories, q *api.Paths) *meeting {
	opposite := map[api.Direction]api.Direction{api.DirectionBoth: api.DirectionBoth, api.DirectionOut: api.DirectionIn, api.DirectionIn: api.DirectionOut}
	s := &meeting{there: newWalk(m, q.From, &q.GraphFilter, q.Direction, api.MaxNodes), back: newWalk(m, q.To, &q.GraphFilter, opposite[q.Direction], api.MaxNodes)}
	s.meet()
	return s
}

// walk goes on, with what has the smaller level, until the walks meet.
func (s *meeting) walk(ctx context.Context, depth int) error {
	for range depth {
		next := s.there
		if len(s.back.level) < len(s.there.level) {
			next = s.back
		}
		if len(s.at) > 0 || len(next.level) == 0 {
			break
		}
		if err := next.step(ctx); err != nil {
			return err
		}
		s.meet()
	}
	return nil
}

// meet finds where the walks met with the fewest steps.
func (s *meeting) meet() {
	best := 0
	for _, id := range s.there.order {
		other, ok := s.back.distance[id]
		if !ok {
			continue
		}
		if d := s.there.distance[id] + other; len(s.at) == 0 || d < best {
			best, s.at = d, []hippo.ID{id}
		} else if d == best {
			s.at = append(s.at, id)
		}
	}
}

// list returns the paths through where the walks met.
func (s *meeting) list(ctx context.Context, m *engine.Memories, count int) (*api.PathList, error) {
	out := &api.PathList{}
	for _, w := range []*walk{s.there, s.back} {
		out.Partial = append(out.Partial, w.partial...)
		out.Omitted += len(w.omitted)
		if len(s.at) == 0 {
			out.Frontier = append(out.Frontier, w.level...)
		}
	}
	out.Partial = engine.Distinct(out.Partial)
	known := make(map[string]bool)
	for _, id := range s.at {
		heads, tails := s.there.ways(id, count+1), s.back.ways(id, count+1)
		for i := 0; i < len(heads)*len(tails) && len(known) <= count; i++ {
			p := joined(heads[i/len(tails)], tails[i%len(tails)])
			if key := fmt.Sprint(p.IDs); !known[key] {
				known[key] = true
				out.Paths = append(out.Paths, p)
			}
		}
	}
	slices.SortFunc(out.Paths, func(a, b api.Path) int { return slices.CompareFunc(a.IDs, b.IDs, hippo.ID.Compare) })
	if out.More = len(out.Paths) > count; out.More {
		out.Paths = out.Paths[:count]
	}
	return out, fillPaths(ctx, m, out)
}

// ways returns at most limit shortest ways from a memory back to where a walk began.
func (w *walk) ways(id hippo.ID, limit int) []api.Path {
	if w.distance[id] == 0 {
		return []api.Path{{IDs: []hippo.ID{id}}}
	}
	var out []api.Path
	for _, r := range w.back(id) {
		for _, rest := range w.ways(r.Other(id), limit-len(out)) {
			out = append(out, api.Path{IDs: append([]hippo.ID{id}, rest.IDs...), Relations: append([]hippo.Relation{r}, rest.Relations...)})
		}
		if len(out) >= limit {
			break
		}
	}
	return out
}

// joined returns the path from the end of head to the end of tail, which both begin at one memory.
func joined(head, tail api.Path) api.Path {
	ids, relations := slices.Clone(head.IDs), slices.Clone(head.Relations)
	slices.Reverse(ids)
	slices.Reverse(relations)
	return api.Path{IDs: append(ids, tail.IDs[1:]...), Relations: append(relations, tail.Relations...)}
}

// fillPaths reads the memories of paths.
func fillPaths(ctx context.Context, m *engine.Memories, l *api.PathList) error {
	at := make(map[hippo.ID]int)
	var ids []hippo.ID
	for _, p := range l.Paths {
		for i, id := range p.IDs {
			if _, known := at[id]; !known {
				at[id] = i
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	ms, err := store.GetAll(ctx, m.Scoped, ids)
	for _, x := range ms {
		l.Nodes = append(l.Nodes, api.Node{Memory: x, Distance: at[x.ID]})
	}
	return err
}
