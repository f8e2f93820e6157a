package dirstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// relationsName is the file of the declared relations, which may be kept under version control
// like the memories.
const relationsName = formats.RelationsName

// declaration is a change of relations.jsonl: a relation, of weight 0 if it is removed, or
// a memory that was purged with its relations.
type declaration struct {
	relation hippo.Relation
	purged   hippo.ID
}

// declaredFile is the content of relations.jsonl.
type declaredFile struct {
	graph      driver.Graph
	unreadable []string // lines; they are kept
	bad        error    // of the first of them
}

// readDeclared reads relations.jsonl. Of several lines for one period of a relation, which a merge may leave,
// the last counts.
func readDeclared(d *directory) (f declaredFile, e entry, err error) {
	b, st, err := d.read(relationsName, math.MaxInt64)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errIrregular) {
		return f, e, nil
	}
	if err != nil {
		return f, e, d.failed("read", relationsName, err)
	}
	f.readLines(b)
	return f, entry{name: relationsName, stamp: st, sum: sha256.Sum256(b)}, nil
}

// readLines adds the lines of a file.
func (f *declaredFile) readLines(b []byte) {
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		r, err := formats.ReadRelation(line)
		if err == nil && r.Kind == hippo.CoRecalled {
			err = hippo.Fieldf("kind", "%s is learned, not declared", r.Kind)
		}
		if err != nil {
			if f.unreadable = append(f.unreadable, string(line)); f.bad == nil {
				f.bad = fmt.Errorf("line %d: %w", n, err)
			}
			continue
		}
		f.graph.Set(r)
	}
}

// apply makes a change and reports whether it is one.
func (f *declaredFile) apply(c *declaration) (changed bool) {
	if c.purged.IsZero() {
		changed = f.graph.Get(c.relation) != c.relation
		f.graph.Set(c.relation)
		return changed
	}
	removed := f.graph.At(c.purged)
	for _, r := range removed {
		r.Weight = 0
		f.graph.Set(r)
	}
	return len(removed) > 0
}

// encode returns the content of the file; nil for none.
func (f *declaredFile) encode() ([]byte, error) {
	var b []byte
	for _, r := range f.graph.All() {
		line, err := formats.EncodeRelation(&r)
		if err != nil {
			return nil, err
		}
		b = append(append(b, line...), '\n')
	}
	for _, line := range f.unreadable {
		b = append(append(b, line...), '\n')
	}
	return b, nil
}

// writeRelations adds relations.jsonl to the files to write, if one of its relations was changed
// or purged. When memories were added, the lines that refer to them take effect.
func (g *group) writeRelations() error {
	orphans := 0
	if g.inserted {
		if _, err := sqlitex.First(context.Background(), g.table.q, "SELECT orphans FROM directory", nil, &orphans); err != nil {
			return err
		}
	}
	if len(g.declared) == 0 && orphans == 0 {
		return nil
	}
	f, _, err := readDeclared(g.sync.dir)
	if err != nil {
		return err
	}
	changed := false
	for i := range g.declared {
		changed = f.apply(&g.declared[i]) || changed
	}
	if changed {
		data, err := f.encode()
		if err != nil {
			return err
		}
		g.write(relationsName, data)
		g.journaled = g.journaled || len(g.data) > 1
	}
	if orphans == 0 {
		return nil
	}
	t := g.Group.Begin(context.Background())
	if err := declare(t, &f.graph); err != nil {
		return err
	}
	g.Group.Keep(t)
	return nil
}

// relations applies what another program wrote to relations.jsonl.
func (r *reconciler) relations(e entry) error {
	f, now, err := readDeclared(r.group.sync.dir)
	if err != nil {
		return err
	}
	now.recent = now.stamp.recent(r.group.sync.now())
	r.entries.set(relationsName, now)
	if now.sum == e.sum && now.name == e.name {
		return nil
	}
	return declare(r.Tx, &f.graph)
}

// declare replaces the declared relations by those of a graph. Relations of memories that do not
// exist are only counted, as orphans: they take effect when the memory is added.
func declare(t *sqlitestore.Tx, g *driver.Graph) error {
	orphans := g.Len()
	var removed []hippo.Relation
	for rows, err := range sqlitex.Rows(context.Background(), t, "SELECT source, target, kind, valid_from FROM relation WHERE kind <> ?", hippo.CoRecalled) {
		var r hippo.Relation
		var from, to []byte
		var begin sql.NullInt64
		if err == nil {
			err = rows.Scan(&from, &to, &r.Kind, &begin)
		}
		if err != nil {
			return err
		}
		if r.From, r.To = hippo.ID(from), hippo.ID(to); begin.Valid {
			r.ValidFrom = time.UnixMicro(begin.Int64).UTC()
		}
		if g.Get(r).Weight == 0 {
			removed = append(removed, r)
		}
	}
	for _, r := range removed {
		if err := t.Relate(r, func(_, r hippo.Relation) hippo.Relation { return r }); err != nil {
			return err
		}
	}
	for _, r := range g.All() {
		err := t.Relate(r, func(_, r hippo.Relation) hippo.Relation {
			orphans--
			return r
		})
		if err != nil {
			return err
		}
	}
	return t.Exec("UPDATE directory SET orphans = ?", orphans)
}

// Relations implements [driver.Relations]. Relations of memories that do not exist
// are left out.
func (s *Store) Relations(ctx context.Context, q driver.RelationQuery) (found []hippo.Relation, err error) {
	err = s.sync.read(ctx, func() error {
		found, err = s.replica.store.Relations(ctx, q)
		return err
	})
	return found, err
}

// AllRelations implements [driver.Relations].
func (s *Store) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		var all []hippo.Relation
		err := s.sync.read(ctx, func() (err error) {
			all = all[:0]
			for r, failed := range s.replica.store.AllRelations(ctx) {
				if failed != nil {
					return failed
				}
				all = append(all, r)
			}
			return nil
		})
		for _, r := range all {
			if err != nil {
				break
			}
			if !yield(r, nil) {
				return
			}
			err = s.life.check(ctx)
		}
		if err != nil {
			yield(hippo.Relation{}, err)
		}
	}
}

// Relate implements [driver.Relations].
func (s *Store) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	if err := s.sync.writable(ctx); err != nil {
		return err
	}
	rs = slices.Clone(rs)
	return transact(ctx, s, d, func(t *tx) error {
		for _, r := range rs {
			if err := t.Relate(r, fn); err != nil {
				return err
			}
		}
		return nil
	})
}
