package sharedstore

import (
	"context"
	"encoding/json"

	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// found is what other programs did, as a comparison shows that locks none of them out. What it names is compared again
// in the transaction that applies it.
type found struct {
	// seen is the state when the comparison began: all was seen then but for what is named here.
	seen
	// known and fresh are the ids of rows that differ from what was last seen, and of new ones.
	known, fresh []int64
	// gone are the hashes of rows that are no longer there.
	gone []string
	// edges: some differ.
	edges bool
}

// none reports whether there is nothing to apply.
func (f *found) none() bool {
	l := f.layout
	return len(f.known)+len(f.fresh)+len(f.gone) == 0 && !f.edges && (!l.words || l.repaired)
}

// uncompared is the version of a state in which something may be applied that could not be before.
const uncompared = -1

// compare finds what other programs did; nil: nothing, since none of them committed. Cost: some 20 us then, else a read of all
// rows.
func compare(ctx context.Context, s *Store) (*found, error) {
	t, version, err := sqlitex.DataVersion(ctx, s.inner.DB())
	if err != nil {
		return nil, err
	}
	last := s.seen.Load()
	if last != nil && last.tx == t && last.version == version {
		return nil, nil //nolint:nilnil // as the comment says
	}
	if last == nil || last.tx != t {
		s.space.Store(int32(unasked))
	}
	f := &found{seen: seen{tx: t, version: version}}
	return f, s.inner.DB().View(ctx, func(file *sqlitex.File) error {
		return file.Snapshot(ctx, func(q sqlitex.Queryer) error { return f.find(ctx, q) })
	})
}

// find compares all rows and edges with what was last seen of them.
func (f *found) find(ctx context.Context, q sqlitex.Queryer) (err error) {
	if f.layout, err = readLayout(ctx, q); err != nil {
		return err
	}
	d, err := findDifferences(ctx, q, &f.layout, nil)
	if err != nil {
		return err
	}
	rows, were, err := countSeen(ctx, q)
	if err != nil {
		return err
	}
	var lost map[int64]gone
	if were != rows-len(d.fresh) { // else there are as many others as were seen
		if lost, err = findGone(ctx, q, nil); err != nil {
			return err
		}
	}
	for _, g := range lost {
		f.gone = append(f.gone, g.hash)
	}
	edited, fresh := editedOf(lost, d)
	f.known, f.fresh = append(d.known, edited...), fresh
	if len(fresh) > partSize {
		if f.left, f.fresh, err = leave(ctx, q, fresh); err != nil {
			return err
		}
	}
	if f.layout.graph && len(f.left) == 0 { // the edges of rows that are left come with the last of them
		_, err = sqlitex.First(ctx, q, "SELECT EXISTS ("+changedEdges+") OR EXISTS ("+removedEdges+")", nil, &f.edges)
	}
	return err
}

// catchUp applies what other programs did, but for new rows that are left.
func catchUp(ctx context.Context, s *Store) error {
	f, err := compare(ctx, s)
	switch {
	case err != nil || f == nil:
		return err
	case f.none():
		at := f.seen
		s.seen.Store(&at)
		return nil
	}
	return transact(ctx, s, f, func(g *group) error { return g.apply(ctx, f) })
}

// transact runs fn in a transaction of its own; f is what was found before it, or nil.
func transact(ctx context.Context, s *Store, f *found, fn func(*group) error) error {
	var g *group
	err := s.inner.DB().Update(ctx, driver.Lazy, func(q *sqlitex.Tx) (err error) {
		if g, err = resume(s, q, f); err == nil {
			err = fn(g)
		}
		if err != nil {
			return err
		}
		return g.End()
	})
	if g != nil {
		g.Done(err)
	}
	return err
}

// resume begins a group that goes on where the last one ended, whatever others did since, or else with f.
func resume(s *Store, q *sqlitex.Tx, f *found) (*group, error) {
	last := s.seen.Load()
	if last == nil || last.tx != q {
		if f == nil || f.tx != q { // the file was replaced
			return s.begin(q)
		}
		last = &seen{tx: q, version: uncompared}
	}
	g, err := newGroup(s, q)
	if err != nil {
		return nil, err
	}
	g.seen = *last
	g.seen.layout, err = readLayout(context.Background(), q)
	return g, err
}

// apply applies what was found.
func (g *group) apply(ctx context.Context, f *found) error {
	if f.tx != g.seen.tx {
		return nil // the file was replaced, and all of it was compared
	}
	if l := g.seen.layout; l.words && !l.repaired {
		if err := g.Script(wordsSQL); err != nil {
			return err
		}
	}
	t := g.Begin(ctx)
	if err := g.reconciler(t).run(ctx, f); err != nil {
		return err
	}
	if f.version > g.seen.version {
		g.seen = f.seen
	}
	g.Keep(t)
	return nil
}

// inList is the condition that a column is in a list, and the list as its argument; without a list it holds for all.
func inList[T any](column string, list []T) (condition string, args []any, err error) {
	if list == nil {
		return "true", nil, nil
	}
	b, err := json.Marshal(list)
	return column + " IN (SELECT value FROM json_each(?))", []any{string(b)}, err
}
