package driver

import (
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
)

// Graph holds relations in memory, for back ends that load all of them. The zero value is
// empty. It is not safe for concurrent use.
type Graph struct {
	relations map[RelationKey]hippo.Relation
	ends      map[hippo.ID]map[RelationKey]bool
}

// RelationKey identifies a relation: by its ends, its kind, and the time from which it holds.
type RelationKey struct {
	From, To hippo.ID
	Kind     string
	Begin    time.Time
}

// KeyOf returns the key of a relation.
func KeyOf(r *hippo.Relation) RelationKey {
	return RelationKey{r.From, r.To, r.Kind, r.ValidFrom.UTC()}
}

// EndsOf returns the key without the time, which all periods of a relation share.
func EndsOf(r *hippo.Relation) RelationKey { return RelationKey{From: r.From, To: r.To, Kind: r.Kind} }

// WithKey returns a relation with the key of another one.
func WithKey(r, of hippo.Relation) hippo.Relation {
	r.From, r.To, r.Kind, r.ValidFrom = of.From, of.To, of.Kind, of.ValidFrom
	return r
}

// Len is the number of relations.
func (g *Graph) Len() int { return len(g.relations) }

// Get returns the relation with the key of r, of Weight 0 if there is none.
func (g *Graph) Get(r hippo.Relation) hippo.Relation {
	if old, ok := g.relations[KeyOf(&r)]; ok {
		return old
	}
	return WithKey(hippo.Relation{}, r)
}

// Set stores a relation in place of what has its key; one of Weight 0 is removed.
func (g *Graph) Set(r hippo.Relation) {
	k := KeyOf(&r)
	if r.Weight == 0 {
		delete(g.relations, k)
		g.detach(k.From, k)
		g.detach(k.To, k)
		return
	}
	if g.relations == nil {
		g.relations, g.ends = make(map[RelationKey]hippo.Relation), make(map[hippo.ID]map[RelationKey]bool)
	}
	g.relations[k] = r
	for _, id := range []hippo.ID{k.From, k.To} {
		if g.ends[id] == nil {
			g.ends[id] = make(map[RelationKey]bool)
		}
		g.ends[id][k] = true
	}
}

// detach removes a relation from one of its ends.
func (g *Graph) detach(id hippo.ID, k RelationKey) {
	if delete(g.ends[id], k); len(g.ends[id]) == 0 {
		delete(g.ends, id)
	}
}

// At returns all relations of one memory, in no order.
func (g *Graph) At(id hippo.ID) []hippo.Relation {
	out := make([]hippo.Relation, 0, len(g.ends[id]))
	for k := range g.ends[id] {
		out = append(out, g.relations[k])
	}
	return out
}

// All returns every relation, by From, To, Kind and ValidFrom.
func (g *Graph) All() []hippo.Relation {
	return slices.SortedFunc(maps.Values(g.relations), func(a, b hippo.Relation) int { return a.Compare(&b) })
}

// Strongest is [Relations.Relations]. memory returns a memory, nil if there is none.
func (g *Graph) Strongest(q *RelationQuery, memory func(hippo.ID) *hippo.Memory) []hippo.Relation {
	visible := func(id hippo.ID) bool {
		m := memory(id)
		return m != nil && !m.Forgotten() && q.Scope.Sees(m)
	}
	var out []hippo.Relation
	for _, id := range q.IDs {
		if len(g.ends[id]) == 0 || !visible(id) {
			continue
		}
		list := slices.DeleteFunc(g.At(id), func(r hippo.Relation) bool {
			return !q.At.IsZero() && !r.ValidAt(q.At) || !visible(r.Other(id))
		})
		slices.SortFunc(list, func(a, b hippo.Relation) int { return Stronger(&a, &b) })
		out = append(out, list[:min(len(list), max(0, q.Limit))]...)
	}
	slices.SortFunc(out, func(a, b hippo.Relation) int { return a.Compare(&b) })
	return slices.CompactFunc(out, func(a, b hippo.Relation) bool { return a.Compare(&b) == 0 })
}

// Change applies [Relations.Relate] to one relation: it returns the result of fn, and whether
// that differs from the stored relation.
func (g *Graph) Change(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) (next hippo.Relation, changed bool) {
	old := g.Get(r)
	next = WithKey(fn(old, r), r)
	return next, next != old
}
