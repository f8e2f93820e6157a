package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
)

// The bounds of walks. From each memory a walk follows the 100 strongest relations.
const (
	MaxDepth  = 10           // relations
	MaxNodes  = hippo.MaxIDs // memories
	MaxPaths  = 100          // of one answer
	pathDepth = 5            // by default
)

// NeighbourQuery asks for what is near a memory.
type NeighbourQuery struct {
	ID hippo.ID
	// Depth is how many relations away, 1 to [MaxDepth]; 0 means 1.
	Depth     int
	Direction Direction // "": [Both]
	GraphFilter
	// Count is the most memories in the answer, the first included; 0 means [MaxNodes], which is also the most.
	Count int
}

// Node is a memory of a subgraph.
type Node struct {
	*hippo.Memory
	// Distance is how many relations it is from where the walk began.
	Distance int
}

// Subgraph is what a walk reached, and what it left out.
type Subgraph struct {
	// Nodes are the memories, the nearest first; of one distance those that hold first, in the order in which the walk reached
	// them, the strongest relation of the first memory first.
	Nodes []Node
	// Relations are those that the walk read between the nodes, by From, To and Kind, those that hold first, with their weights at
	// the moment.
	Relations []hippo.Relation
	GraphBounds
}

// GraphBounds are what an answer leaves out.
type GraphBounds struct {
	// Frontier are the nodes whose relations were not read: the next walk may begin there.
	Frontier []hippo.ID
	// Partial are the nodes of which only the 100 strongest relations were followed.
	Partial []hippo.ID
	// Omitted counts the memories that were found, and are beyond the count.
	Omitted int
	// Degraded says what the history lacks of what was known at a time; nil otherwise.
	Degraded []string
}

// Neighbours returns what is related to a memory, and what is related to that, within the scope, to a depth. Forgotten memories
// are not there. An unknown ID is a [*hippo.UnknownError].
//
// Cost: a read of the store for each level, and one of the memories.
func Neighbours(ctx context.Context, m *Memories, q NeighbourQuery) (*Subgraph, error) {
	return perform(ctx, m, q, "neighbours", neighbours)
}

func neighbours(ctx context.Context, m *Memories, q NeighbourQuery) (*Subgraph, error) {
	if err := checkWalk(m, &q.Direction, &q.Depth, 1, &q.Count, MaxNodes); err != nil {
		return nil, err
	}
	out, note, err := inGraph(ctx, m, &q.GraphFilter, func(m *Memories) (*Subgraph, error) {
		if _, err := get(ctx, m, []hippo.ID{q.ID}); err != nil {
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
		out.Degraded = noted(out.Degraded, note)
	}
	return out, err
}

func (w *walk) subgraph(ctx context.Context) (*Subgraph, error) {
	ms, err := store.GetAll(ctx, w.memories.scoped, w.order)
	if err != nil {
		return nil, err
	}
	at := cmp.Or(w.filter.At.ValidAt, w.memories.now())
	out := &Subgraph{Relations: holdingFirst(w.inside(), at), GraphBounds: GraphBounds{Frontier: w.level, Partial: w.partial, Omitted: len(w.omitted)}}
	for _, x := range ms {
		out.Nodes = append(out.Nodes, Node{x, w.distance[x.ID]})
	}
	slices.SortStableFunc(out.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), rank.HoldingFirst(at, a.Memory, b.Memory))
	})
	return out, nil
}

// checkWalk checks what the queries of walks have in common, and sets the defaults.
func checkWalk(m *Memories, d *Direction, depth *int, usual int, count *int, most int) error {
	if err := m.scoped.Allow(hippo.RightRead); err != nil {
		return err
	}
	if *d == "" {
		*d = Both
	}
	if err := hippo.OneOf("direction", *d, Both, Out, In); err != nil {
		return err
	}
	for _, x := range []struct {
		name        string
		value       *int
		usual, most int
	}{{"depth", depth, usual, MaxDepth}, {"count", count, most, most}} {
		if *x.value == 0 {
			*x.value = x.usual
		}
		if *x.value < 1 || *x.value > x.most {
			return hippo.Fieldf(x.name, "must be between 1 and %d, got %d", x.most, *x.value)
		}
	}
	return nil
}

// PathQuery asks how two memories are connected.
type PathQuery struct {
	From, To hippo.ID
	// Depth is the longest path, in relations, 1 to [MaxDepth]; 0 means 5.
	Depth     int
	Direction Direction // from From; "": [Both]
	GraphFilter
	// Count is the most paths; 0 means [MaxPaths], which is also the most.
	Count int
}

// Path leads from one memory to another; Relations[i] joins IDs[i] and IDs[i+1], and is the strongest that does.
type Path struct {
	IDs       []hippo.ID
	Relations []hippo.Relation
}

// PathList are the shortest paths between two memories: none, or all of one length, at most PathQuery.Count.
type PathList struct {
	Paths []Path
	// Nodes are the memories of the paths, in their order, each once; the distance is that from the first.
	Nodes []Node
	// More: there are more shortest paths.
	More bool
	// Frontier, Partial and Omitted are of the walks from both ends: if any is there, a path may have been missed, or a shorter one.
	GraphBounds
}

// Paths returns the shortest paths between two memories within the scope, in the order of the IDs on them. Unknown IDs are a
// [*hippo.UnknownError].
//
// Cost: as that of two calls of [Neighbours] of half the depth, for it walks from both ends.
func Paths(ctx context.Context, m *Memories, q PathQuery) (*PathList, error) {
	return perform(ctx, m, q, "paths", paths)
}

func paths(ctx context.Context, m *Memories, q PathQuery) (*PathList, error) {
	if err := checkWalk(m, &q.Direction, &q.Depth, pathDepth, &q.Count, MaxPaths); err != nil {
		return nil, err
	}
	out, note, err := inGraph(ctx, m, &q.GraphFilter, func(m *Memories) (*PathList, error) {
		if _, err := get(ctx, m, []hippo.ID{q.From, q.To}); err != nil {
			return nil, err
		}
		s := newMeeting(m, &q)
		if err := s.walk(ctx, q.Depth); err != nil {
			return nil, err
		}
		return s.list(ctx, m, q.Count)
	})
	if err == nil {
		out.Degraded = noted(out.Degraded, note)
	}
	return out, err
}

// meeting is a pair of walks, from both ends of a path.
type meeting struct {
	there, back *walk
	at          []hippo.ID // where they met
}

func newMeeting(m *Memories, q *PathQuery) *meeting {
	opposite := map[Direction]Direction{Both: Both, Out: In, In: Out}
	s := &meeting{there: newWalk(m, q.From, &q.GraphFilter, q.Direction, MaxNodes), back: newWalk(m, q.To, &q.GraphFilter, opposite[q.Direction], MaxNodes)}
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
func (s *meeting) list(ctx context.Context, m *Memories, count int) (*PathList, error) {
	out := &PathList{}
	for _, w := range []*walk{s.there, s.back} {
		out.Partial = append(out.Partial, w.partial...)
		out.Omitted += len(w.omitted)
		if len(s.at) == 0 {
			out.Frontier = append(out.Frontier, w.level...)
		}
	}
	out.Partial = distinct(out.Partial)
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
	slices.SortFunc(out.Paths, func(a, b Path) int { return slices.CompareFunc(a.IDs, b.IDs, hippo.ID.Compare) })
	if out.More = len(out.Paths) > count; out.More {
		out.Paths = out.Paths[:count]
	}
	return out, out.fill(ctx, m)
}

// ways returns at most limit shortest ways from a memory back to where a walk began.
func (w *walk) ways(id hippo.ID, limit int) []Path {
	if w.distance[id] == 0 {
		return []Path{{IDs: []hippo.ID{id}}}
	}
	var out []Path
	for _, r := range w.back(id) {
		for _, rest := range w.ways(r.Other(id), limit-len(out)) {
			out = append(out, Path{append([]hippo.ID{id}, rest.IDs...), append([]hippo.Relation{r}, rest.Relations...)})
		}
		if len(out) >= limit {
			break
		}
	}
	return out
}

// joined returns the path from the end of head to the end of tail, which both begin at one memory.
func joined(head, tail Path) Path {
	ids, relations := slices.Clone(head.IDs), slices.Clone(head.Relations)
	slices.Reverse(ids)
	slices.Reverse(relations)
	return Path{append(ids, tail.IDs[1:]...), append(relations, tail.Relations...)}
}

// fill reads the memories of paths.
func (l *PathList) fill(ctx context.Context, m *Memories) error {
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
	ms, err := store.GetAll(ctx, m.scoped, ids)
	for _, x := range ms {
		l.Nodes = append(l.Nodes, Node{x, at[x.ID]})
	}
	return err
}
