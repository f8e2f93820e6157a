package sharedstore

import (
	"context"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// tx is a transaction. It changes the tables of the store, and notes the memories that the group then
// shows to the other programs.
type tx struct {
	*sqlitestore.Tx
	group  *group
	edited map[hippo.ID]edit
	// embedded are the memories that got a vector.
	embedded map[hippo.ID]bool
	// related are the relations that were changed.
	related map[driver.RelationKey]hippo.Relation
}

// edit returns what was changed of a memory so far.
func (t *tx) edit(id hippo.ID) edit {
	if e, ok := t.edited[id]; ok {
		return e
	}
	return t.group.edited[id]
}

// Put implements [driver.Tx].
func (t *tx) Put(ms ...*hippo.Memory) error {
	if len(ms) > 1 {
		ids := make([]hippo.ID, len(ms))
		for i, m := range ms {
			ids[i] = m.ID
		}
		if err := t.Prefetch(ids); err != nil {
			return err
		}
	}
	for _, m := range ms {
		old, err := t.Peek(m.ID)
		if err != nil { // it cannot be read; an error of the file comes again
			old = nil
		}
		t.edited[m.ID] = editOf(old, m, t.edit(m.ID))
	}
	return t.Tx.Put(ms...)
}

// Purge implements [driver.Tx].
func (t *tx) Purge(ids ...hippo.ID) error {
	for _, id := range ids {
		t.edited[id] = edit{}
	}
	return t.Tx.Purge(ids...)
}

// PutVectors is [driver.Vectors.PutVectors] in a transaction.
func (t *tx) PutVectors(model string, vs []driver.Vector) error {
	for i := range vs {
		t.embedded[vs[i].ID] = true
	}
	return t.Tx.PutVectors(model, vs)
}

// Relate implements [driver.Tx].
func (t *tx) Relate(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return t.Tx.Relate(r, func(old, r hippo.Relation) hippo.Relation {
		next := driver.WithKey(fn(old, r), r)
		if next != old {
			t.related[driver.KeyOf(&next)] = next
		}
		return next
	})
}

// group is what the transactions of one commit share. It implements [sqlitex.Group].
type group struct {
	*sqlitestore.Group
	store    *Store
	seen     seen
	edited   map[hippo.ID]edit
	embedded map[hippo.ID]bool
	related  map[driver.RelationKey]hippo.Relation
	// kept are the transactions that succeeded.
	kept []*sqlitestore.Tx
}

// newGroup returns a group without what was seen.
func newGroup(s *Store, q *sqlitex.Tx) (*group, error) {
	inner, err := s.inner.BeginGroup(q)
	return &group{
		Group: inner, store: s, edited: make(map[hippo.ID]edit), embedded: make(map[hippo.ID]bool), related: make(map[driver.RelationKey]hippo.Relation),
	}, err
}

// begin begins a group: it applies what other programs did.
func (s *Store) begin(q *sqlitex.Tx) (*group, error) {
	g, err := newGroup(s, q)
	if err != nil {
		return nil, err
	}
	version, err := q.DataVersion()
	if err != nil {
		return nil, err
	}
	last := s.seen.Load()
	if last != nil && last.tx == q && last.version == version {
		g.seen = *last
		return g, nil
	}
	if last == nil || last.tx != q {
		s.space.Store(int32(unasked))
	}
	f := &found{seen: seen{tx: q, version: version}}
	if err := f.find(context.Background(), q); err != nil {
		return nil, err
	}
	g.seen = seen{tx: q, version: uncompared, layout: f.layout}
	return g, g.apply(context.Background(), f)
}

// reconciler returns one for a transaction of the group.
func (g *group) reconciler(t *tx) *reconciler {
	return &reconciler{tx: t, layout: g.seen.layout, now: g.store.now().UTC()}
}

// Begin implements [sqlitex.Group].
func (g *group) Begin(ctx context.Context) *tx {
	return &tx{
		Tx: g.Group.Begin(ctx), group: g, edited: make(map[hippo.ID]edit), embedded: make(map[hippo.ID]bool), related: make(map[driver.RelationKey]hippo.Relation),
	}
}

// Keep implements [sqlitex.Group].
func (g *group) Keep(t *tx) {
	maps.Copy(g.edited, t.edited)
	maps.Copy(g.embedded, t.embedded)
	maps.Copy(g.related, t.related)
	g.kept = append(g.kept, t.Tx)
	g.Group.Keep(t.Tx)
}

// End implements [sqlitex.Group]: it shows what was changed to the other programs.
func (g *group) End() error {
	if len(g.edited)+len(g.embedded)+len(g.related) > 0 {
		if err := g.project(); err != nil {
			return err
		}
	}
	return g.Group.End()
}

func (g *group) project() error {
	t := g.Begin(context.Background())
	sqlitestore.Inherit(t.Tx, g.kept)
	p := &projection{vectorTable{tx: t, layout: g.seen.layout}}
	for _, id := range slices.SortedFunc(maps.Keys(g.edited), hippo.ID.Compare) {
		if err := p.memory(id, g.edited[id]); err != nil {
			return err
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(g.embedded), hippo.ID.Compare) {
		if err := p.vector(id); err != nil {
			return err
		}
	}
	for _, r := range g.related {
		if err := p.edge(r); err != nil {
			return err
		}
	}
	g.Keep(t)
	return nil
}

// Done implements [sqlitex.Group].
func (g *group) Done(err error) {
	if err == nil {
		at := g.seen // by itself: a group has all memories that it read or wrote
		g.store.seen.Store(&at)
	}
}
