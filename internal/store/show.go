package store

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/sync/merge"
)

// showing updates stored successors and relations, which depend on the entries of several memories. It writes no entries.
type showing struct {
	*writing
	tx driver.Tx
}

// others updates the successors and relations that depend on the given parts and on newly arrived memories. It records no operation.
func (x *showing) others(set map[hippo.ID]map[string]json.RawMessage, arrived []hippo.ID) error {
	kinds := make(map[hippo.ID][]string)
	var superseded []hippo.ID
	for _, id := range slices.SortedFunc(maps.Keys(set), hippo.ID.Compare) {
		if list := merge.RelationKinds(id, slices.Collect(maps.Keys(set[id]))); len(list) > 0 {
			kinds[id] = list
		}
		if set[id][merge.Successor] != nil || set[id][merge.Purged] != nil {
			superseded = append(superseded, id)
		}
	}
	changes, err := x.successors(superseded)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := x.tx.Put(c.after); err != nil {
			return err
		}
	}
	return x.relations(kinds, arrived)
}

// supersededBy returns the successor to display for a memory.
func (x *showing) supersededBy(id hippo.ID) (by hippo.ID, err error) {
	by = merge.Superseded(id, func(id hippo.ID) (merge.Edge, bool) {
		if err = cmp.Or(err, x.read(id)); err != nil {
			return merge.Edge{}, false
		}
		return x.subjects[id].Edge()
	})
	return by, err
}

// successors returns the changes to other memories that follow from changed successors of the given ones. An edge that was
// hidden because it closed a cycle appears once the cycle is broken, and an edge that now closes a cycle disappears.
func (x *showing) successors(ids []hippo.ID) (out []change, err error) {
	chain := make(map[hippo.ID]bool)
	for _, id := range ids {
		before, _ := merge.NewSubject(id, x.held[id]...).Edge()
		after, _ := x.subjects[id].Edge()
		for _, at := range []hippo.ID{before.To, after.To} {
			for range merge.MaxChain {
				if at.IsZero() || chain[at] || slices.Contains(ids, at) {
					break
				}
				chain[at] = true
				if err := x.read(at); err != nil {
					return nil, err
				}
				next, _ := x.subjects[at].Edge()
				at = next.To
			}
		}
	}
	ms, err := x.tx.Get(slices.SortedFunc(maps.Keys(chain), hippo.ID.Compare)...)
	if driver.Readable(err) != nil {
		return nil, err
	}
	for _, m := range ms {
		by, err := x.supersededBy(m.ID)
		if err != nil {
			return nil, err
		}
		if _, set := x.subjects[m.ID].Edge(); set && m.SupersededBy != by && m.Namespace == "" {
			c := m.Clone()
			c.SupersededBy = by
			out = append(out, change{before: m, after: c})
		}
	}
	return out, nil
}

// relations stores the displayed relations of the given kinds, including those that were waiting for a memory that has now arrived.
func (x *showing) relations(kinds map[hippo.ID][]string, arrived []hippo.ID) error {
	for _, id := range arrived {
		from, err := x.writing.tx.Arrived(id)
		if err != nil {
			return err
		}
		for _, id := range append(from, id) {
			if err := x.read(id); err != nil {
				return err
			}
			kinds[id] = merge.RelationKinds(id, x.subjects[id].Parts())
		}
	}
	here := make(map[hippo.ID]bool)
	for _, id := range slices.SortedFunc(maps.Keys(kinds), hippo.ID.Compare) {
		for _, kind := range kinds[id] {
			if kind == hippo.CoRecalled { // each store learns these on its own
				continue
			}
			if err := x.kind(id, kind, here); err != nil {
				return err
			}
		}
	}
	return nil
}

// kind stores the displayed relations of one kind from a memory. here caches the results of there.
func (x *showing) kind(from hippo.ID, kind string, here map[hippo.ID]bool) error {
	s := x.subjects[from]
	if there, err := x.there(from, here); err != nil || !there {
		return err
	}
	want := make(map[driver.RelationKey]hippo.Relation)
	for _, r := range merge.Shown(s.Relations(kind)) { // a relation to a purged memory still ends the older one
		there, err := x.there(r.To, here)
		switch {
		case err != nil:
			return err
		case there:
			want[driver.KeyOf(&r)] = r
		default:
			if err := x.writing.tx.Await(from, r.To); err != nil {
				return err
			}
		}
	}
	stored, err := x.tx.RelationsFrom(from, hippo.ID{}, kind)
	if err != nil {
		return err
	}
	for _, old := range stored {
		key := driver.KeyOf(&old)
		if _, ok := want[key]; !ok && s.Winner(merge.RelationPart(&old)) != nil {
			want[key] = driver.WithKey(hippo.Relation{}, old) // removed
		}
	}
	for _, r := range want {
		if err := x.tx.Relate(r, func(_, _ hippo.Relation) hippo.Relation { return r }); err != nil {
			return err
		}
	}
	return nil
}

// there reports whether the store has the memory in its default namespace.
func (x *showing) there(id hippo.ID, here map[hippo.ID]bool) (bool, error) {
	if found, known := here[id]; known {
		return found, nil
	}
	ms, err := x.tx.Get(id)
	here[id] = len(ms) > 0 && ms[0].Namespace == ""
	return here[id], driver.Readable(err)
}
