package merge

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// Edge leads from a memory to its successor.
type Edge struct {
	To    hippo.ID
	Stamp clock.Stamp
}

func successor(h *entry.Held) (id hippo.ID) {
	var text string
	if !read(h, Successor, &text) || text == "" {
		return hippo.ID{}
	}
	id, _ = hippo.ParseID(text) // zero if the text is no ID
	return id
}

// Edge returns the edge to the memory's successor, if it has one.
func (s *Subject) Edge() (Edge, bool) {
	h := s.Winner(Successor)
	id := successor(h)
	if id.IsZero() {
		return Edge{}, false
	}
	return Edge{id, h.Stamp()}, true
}

// MaxChain is the maximum number of successors that [Superseded] follows.
const MaxChain = 1000

// Superseded returns the successor to display for a memory. Valid changes on two machines can together form a cycle. Superseded then
// ignores the edge with the lowest stamp. edge returns the stored edge of a memory.
func Superseded(id hippo.ID, edge func(hippo.ID) (Edge, bool)) hippo.ID {
	first, ok := edge(id)
	if !ok || first.To == id {
		return hippo.ID{}
	}
	seen := map[hippo.ID]bool{id: true}
	lowest, at := first, first.To
	for range MaxChain {
		if at == id {
			if lowest == first {
				return hippo.ID{}
			}
			return first.To
		}
		next, ok := edge(at)
		if !ok || seen[at] {
			return first.To
		}
		seen[at] = true
		if c := next.Stamp.Compare(lowest.Stamp); c < 0 {
			lowest = next
		}
		at = next.To
	}
	return first.To
}

// Relation is a relation with the stamp of the entry that set it.
type Relation struct {
	hippo.Relation
	Stamp clock.Stamp
}

// Relations returns the relations from the memory, without removed ones. If kind is not empty, it returns only relations of that kind.
func (s *Subject) Relations(kind string) []Relation {
	var out []Relation
	for _, name := range s.Parts() {
		r, ok := relationKey(s.ID, name)
		if !ok || kind != "" && r.Kind != kind {
			continue
		}
		h := s.Winner(name)
		var v *relationValue
		if json.Unmarshal(h.Parts[name], &v) != nil || v == nil {
			continue
		}
		r.Weight, r.ValidUntil, r.LastReinforced = v.Weight, timeOf(v.Until), timeOf(v.Reinforced)
		if r.Validate() == nil {
			out = append(out, Relation{r, h.Stamp()})
		}
	}
	return out
}

// RelationKinds returns each kind of relation that the given parts hold, once.
func RelationKinds(from hippo.ID, parts []string) []string {
	var out []string
	for _, name := range parts {
		if r, ok := relationKey(from, name); ok && !slices.Contains(out, r.Kind) {
			out = append(out, r.Kind)
		}
	}
	return out
}

// Shown returns the relations from one memory in the form to display. Two machines can set different periods of the same relation, or
// different relations of a kind that allows only one at a time. Shown then ends the older one when the younger one begins.
func Shown(list []Relation) []hippo.Relation {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Relation) int {
		return cmp.Or(begin(&a).Compare(begin(&b)), a.Stamp.Compare(b.Stamp), a.Compare(&b.Relation))
	})
	out := make([]hippo.Relation, len(list))
	for i := range list {
		out[i] = list[i].Relation
		if k := slices.IndexFunc(list[i+1:], func(next Relation) bool { return excludes(&list[i], &next) }); k >= 0 {
			endAt(&out[i], begin(&list[i+1+k]))
		}
	}
	slices.SortFunc(out, func(a, b hippo.Relation) int { return a.Compare(&b) })
	return out
}

// excludes reports whether two relations from one memory cannot hold at the same time.
func excludes(a, b *Relation) bool {
	return a.Kind == b.Kind && a.Kind != hippo.CoRecalled && (a.To == b.To || slices.Contains(hippo.SingleKinds(), a.Kind) && a.Stamp != b.Stamp)
}

// endAt ends a relation at end, but not before the shortest period has passed. A relation that ends earlier keeps its end.
func endAt(r *hippo.Relation, end time.Time) {
	if !end.After(r.ValidFrom) {
		end = r.ValidFrom.Add(time.Microsecond) // the shortest period
	}
	if r.ValidUntil.IsZero() || end.Before(r.ValidUntil) {
		r.ValidUntil = end
	}
}

// begin returns when a relation begins. A relation without a start begins when it was last reinforced.
func begin(r *Relation) time.Time { return cmp.Or(r.ValidFrom, r.LastReinforced) }

// IsRelation reports whether a part holds a relation.
func IsRelation(part string) bool { return strings.HasPrefix(part, relationPrefix) }
