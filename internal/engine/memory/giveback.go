package memory

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Successions gives back what memories superseded that are forgotten or purged.
type Successions struct {
	gone map[hippo.ID]*hippo.Memory
	// Former are the memories that they supersede, links what to restore of those by what supersedes them.
	Former []hippo.ID
	links  map[hippo.ID][]link
}

// link is what a memory supersedes that holds again because that is forgotten: its ID, and when it ended. The metadata of the forgotten
// memory has its links, see [driver.LinksKey].
type link struct {
	ID    hippo.ID  `json:"id"`
	Until time.Time `json:"until,omitzero"`
}

// SuccessionsOf returns what is to be given back when memories go. Cost: a scan of the index.
func SuccessionsOf(ctx context.Context, m *engine.Memories, ids []hippo.ID) (*Successions, error) {
	h := &Successions{}
	if err := m.Indexed(ctx, func() (err error) {
		h.Former, err = formerOf(ctx, m, ids)
		return err
	}); err != nil || len(h.Former) == 0 {
		return h, err
	}
	ms, err := known(ctx, m, ids) // the verb says what is not there
	if err != nil {
		return nil, err
	}
	h.gone = make(map[hippo.ID]*hippo.Memory, len(ms))
	for _, x := range ms {
		h.gone[x.ID] = x
	}
	old, err := known(ctx, m, h.Former)
	h.links = make(map[hippo.ID][]link)
	for _, x := range old {
		h.links[x.SupersededBy] = append(h.links[x.SupersededBy], link{x.ID, x.ValidUntil})
	}
	return h, err
}

// known returns those of some memories that are there.
func known(ctx context.Context, m *engine.Memories, ids []hippo.ID) ([]*hippo.Memory, error) {
	ms, err := readable(m).Get(ctx, ids)
	if errors.Is(err, hippo.ErrNotFound) {
		err = nil
	}
	return ms, err
}

// successionsOfUndo returns what is to be given back when an operation is undone: what it recorded, or restored, is forgotten then.
func successionsOfUndo(ctx context.Context, m *engine.Memories, id hippo.ID) (*Successions, error) {
	vs, err := store.Versions(ctx, readable(m), driver.VersionQuery{Operation: id})
	if err != nil {
		return nil, err
	}
	var gone []hippo.ID
	for i := range vs {
		if v := &vs[i]; !v.Unchanged && (v.Before == nil || v.Before.Forgotten()) {
			gone = append(gone, v.ID)
		}
	}
	if len(gone) == 0 {
		return &Successions{}, nil
	}
	return SuccessionsOf(ctx, m, gone)
}

// GiveBack adds to a revision that what some memories supersede holds again: those that the revision forgets.
func GiveBack(ctx context.Context, m *engine.Memories, r *store.Revision, gone ...hippo.ID) error {
	if len(gone) == 0 {
		return nil
	}
	h, err := SuccessionsOf(ctx, m, gone)
	if err != nil {
		return err
	}
	for _, id := range slices.Concat(h.Former, gone) {
		i := slices.IndexFunc(r.Change, func(c store.Changed) bool { return c.ID == id })
		if i < 0 && slices.Contains(gone, id) {
			continue // the revision does not forget it
		}
		if i < 0 {
			r.Change = append(r.Change, store.Changed{ID: id, Do: func(x *hippo.Memory, _ hippo.Day) error {
				h.Release(x)
				return nil
			}})
			continue
		}
		do := r.Change[i].Do
		r.Change[i].Do = func(x *hippo.Memory, day hippo.Day) error {
			err := do(x, day)
			h.Release(x)
			return err
		}
	}
	return nil
}

// readable is the scope of the caller for what a verb reads that does not need the right to read: none of it is in its answer.
func readable(m *engine.Memories) store.Scoped {
	scope := m.Scope
	scope.Rights |= hippo.RightRead
	return m.Store.In(scope)
}

// formerOf returns the memories of the scope, forgotten or not, that are superseded by one of some.
func formerOf(ctx context.Context, m *engine.Memories, by []hippo.ID) (out []hippo.ID, err error) {
	for _, forgotten := range []bool{false, true} {
		some, err := formerAmong(ctx, m, by, forgotten)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// formerAmong is [formerOf] of those that are forgotten, or of the others.
func formerAmong(ctx context.Context, m *engine.Memories, by []hippo.ID, forgotten bool) ([]hippo.ID, error) {
	r, err := m.Index.Search(ctx, &retrieve.Query{Scope: m.Scope, Filter: hippo.Filter{Archived: true}, Forgotten: forgotten})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	successors := make(map[retrieve.Doc]bool, len(by))
	for _, id := range by {
		if doc, ok := r.Reader.Find(id); ok {
			successors[doc] = true
		}
	}
	var out []hippo.ID
	for i := range r.Matches {
		doc := r.Matches[i].Doc
		if !r.Reader.Row(doc).Superseded {
			continue
		}
		if next, ok := r.Reader.Successor(doc); ok && successors[next] {
			out = append(out, r.Reader.Key(doc).ID)
		}
	}
	slices.SortFunc(out, hippo.ID.Compare) // documents lie in an order that depends on other tenants
	return out, nil
}

// Release makes a memory hold again that one of those that go supersedes, as [driver.GiveBack] says. One that goes keeps what it
// supersedes.
func (h *Successions) Release(x *hippo.Memory) {
	if links := h.links[x.ID]; len(links) > 0 && x.Forgotten() {
		formats.SetMeta(x, driver.LinksKey, links)
		if x.Validate() != nil { // they exceed [hippo.MaxMetadata]
			delete(x.Metadata, driver.LinksKey)
		}
	}
	driver.GiveBack(x, h.gone)
}

// ReleasedBy returns the memories that were given back when some were forgotten, as they were before that. Cost: a read of the
// history of those that are forgotten without links.
func ReleasedBy(ctx context.Context, m *engine.Memories, ids []hippo.ID) (map[hippo.ID]store.Released, error) {
	ms, err := known(ctx, m, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[hippo.ID]store.Released)
	unlinked := make(map[hippo.ID]*hippo.Memory)
	for _, x := range ms {
		if !x.Forgotten() {
			continue
		}
		var links []link
		if raw := x.Metadata[driver.LinksKey]; raw == nil || json.Unmarshal(raw, &links) != nil {
			unlinked[x.ID] = x
		}
		for _, l := range links {
			out[l.ID] = store.Released{By: x, Until: l.Until}
		}
	}
	if err := formerLinks(ctx, m, unlinked, out); err != nil {
		return nil, err
	}
	there, err := known(ctx, m, slices.Collect(maps.Keys(out)))
	maps.DeleteFunc(out, func(id hippo.ID, _ store.Released) bool {
		return !slices.ContainsFunc(there, func(x *hippo.Memory) bool { return x.ID == id })
	})
	return out, err
}

// formerLinks adds what some forgotten memories superseded by the history. Each of the operations that forgot them is read once: one may
// have forgotten thousands.
func formerLinks(ctx context.Context, m *engine.Memories, by map[hippo.ID]*hippo.Memory, out map[hippo.ID]store.Released) error {
	in := readable(m)
	vs, err := store.Versions(ctx, in, driver.VersionQuery{Memories: slices.AppendSeq(make([]hippo.ID, 0, len(by)), maps.Keys(by))})
	if err != nil {
		return err
	}
	forgot := make(map[hippo.ID]hippo.ID) // by the memory; the last version comes first
	for i := range vs {
		v := &vs[i]
		if _, found := forgot[v.ID]; !found && v.Before != nil && !v.Before.Forgotten() {
			forgot[v.ID] = v.Operation.ID
		}
	}
	for _, op := range slices.CompactFunc(slices.SortedFunc(maps.Values(forgot), hippo.ID.Compare), func(a, b hippo.ID) bool { return a == b }) {
		same, err := store.Versions(ctx, in, driver.VersionQuery{Operation: op})
		if err != nil {
			return err
		}
		for i := range same {
			if v := &same[i]; v.Before != nil && forgot[v.Before.SupersededBy] == op {
				out[v.ID] = store.Released{By: by[v.Before.SupersededBy], Until: v.Before.ValidUntil}
			}
		}
	}
	return nil
}
