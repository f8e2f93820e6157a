package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// A page is what is read at once: no read transaction is open while the caller
// works, so that it never holds up a checkpoint. It ends after pageSize memories, or
// with the one whose content reaches pageBytes.
const (
	pageSize  = 1000
	pageBytes = 4 << 20
)

// Changes implements [driver.Backend]. It yields the state at the moment of the
// first step: what changes meanwhile is left for the next call.
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		head, err := s.Head(ctx)
		if err != nil {
			yield(driver.Change{}, err)
			return
		}
		for since < head.Revision {
			var page []driver.Change
			err := s.db.View(ctx, func(f *sqlitex.File) (err error) {
				page, since, err = s.changes(ctx, f, since, head.Revision)
				return err
			})
			if err != nil {
				yield(driver.Change{}, err)
				return
			}
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// changes returns a page of what changed after since, up to and including the revision
// that it returns, at most end.
func (s *Store) changes(ctx context.Context, q sqlitex.Queryer, since, end hippo.Revision) ([]driver.Change, hippo.Revision, error) {
	list, last, err := s.changed(ctx, q, "m.revision > ? AND m.revision <= ? ORDER BY m.revision", int64(since), int64(end))
	if sqlitex.Damaged(err) {
		list, last, err = s.changedOneByOne(ctx, q, since, end)
	}
	if err != nil {
		return nil, 0, err
	}
	if last > 0 {
		end = last
	}
	purged, err := tombstones(ctx, q, since, end)
	if err != nil || len(purged) == 0 {
		return list, end, err
	}
	list = append(list, purged...)
	slices.SortFunc(list, func(a, b driver.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return list, end, nil
}

// changed returns the memories that match a condition, as many as fit into a page; last
// is the revision of the last one if there may be more, else 0.
func (s *Store) changed(ctx context.Context, q sqlitex.Queryer, where string, args ...any) (list []driver.Change, last hippo.Revision, err error) {
	size := 0
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT "+columns+" FROM memory m WHERE "+where, args...) {
		if err != nil {
			return nil, 0, err
		}
		m, err := scan(rows)
		if err != nil {
			return nil, 0, err
		}
		c := driver.Change{ID: m.ID, Revision: m.Revision, Memory: m.Memory}
		if m.err != nil {
			c.Memory, c.Unreadable = nil, &driver.UnreadableError{Problems: []driver.Problem{s.bad.problem(m.ID, m.err)}}
		}
		list = append(list, c)
		if size += len(m.Content); size >= pageBytes || len(list) == pageSize {
			return list, m.Revision, nil
		}
	}
	return list, 0, nil
}

// The indexes that SQLite made for memory.id and memory.revision.
const (
	idIndex       = "sqlite_autoindex_memory_1"
	revisionIndex = "sqlite_autoindex_memory_2"
)

// changedOneByOne is changed past rows that cannot be read, which it finds by their
// revisions.
func (s *Store) changedOneByOne(ctx context.Context, q sqlitex.Queryer, since, end hippo.Revision) (list []driver.Change, last hippo.Revision, err error) {
	var keys [][2]int64
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT pk, revision FROM memory INDEXED BY "+revisionIndex+`
		WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?`, int64(since), int64(end), pageSize) {
		var k [2]int64
		if err == nil {
			err = rows.Scan(&k[0], &k[1])
		}
		if err != nil {
			return nil, 0, err
		}
		keys = append(keys, k)
	}
	for _, k := range keys {
		one, _, err := s.changed(ctx, q, "m.pk = ?", k[0])
		if sqlitex.Damaged(err) {
			p := s.bad.problem(idOf(ctx, q, k[0]), err)
			one = []driver.Change{{ID: p.ID, Revision: hippo.Revision(k[1]), Unreadable: &driver.UnreadableError{Problems: []driver.Problem{p}}}}
		} else if err != nil {
			return nil, 0, err
		}
		list = append(list, one...)
		last = hippo.Revision(k[1])
	}
	return list, last, nil
}

// idOf returns the ID of a row that cannot be read, from the index; zero if that cannot
// be read either. Cost: that of reading the index.
func idOf(ctx context.Context, q sqlitex.Queryer, pk int64) (id hippo.ID) {
	var b []byte
	if _, err := sqlitex.First(ctx, q, "SELECT id FROM memory INDEXED BY "+idIndex+" WHERE pk + 0 = ?", []any{pk}, &b); err == nil {
		copy(id[:], b)
	}
	return id
}

func tombstones(ctx context.Context, q sqlitex.Queryer, since, end hippo.Revision) ([]driver.Change, error) {
	var list []driver.Change
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT id, revision FROM tombstone WHERE revision > ? AND revision <= ?", int64(since), int64(end)) {
		if err != nil {
			return nil, err
		}
		var c driver.Change
		var id sql.RawBytes
		if err := rows.Scan(&id, &c.Revision); err != nil {
			return nil, err
		}
		copy(c.ID[:], id)
		list = append(list, c)
	}
	return list, nil
}
