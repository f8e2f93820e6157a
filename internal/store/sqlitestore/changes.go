package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// A page is what is read at once: no read transaction is open while the caller
// works, so that it never holds up a checkpoint. It ends after pageSize memories, or
// with the one whose content reaches pageBytes.
const (
	pageSize  = 1000
	pageBytes = 4 << 20
	// smallPage is the number of changes up to which the lists of a memory are read with its row:
	// that takes one statement, and large pages take half the time with one more for each list.
	smallPage = 32
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
			err := s.db.View(ctx, func(f *sqlitex.File) error {
				read := func(q sqlitex.Queryer) (err error) {
					page, since, err = s.changes(ctx, q, since, head.Revision)
					return err
				}
				if head.Revision-since <= smallPage {
					return read(f)
				}
				return f.Snapshot(ctx, read)
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
// that it returns, at most end. If that may be more than a small page q has to be a snapshot.
func (s *Store) changes(ctx context.Context, q sqlitex.Queryer, since, end hippo.Revision) ([]driver.Change, hippo.Revision, error) {
	const where = "m.revision > ? AND m.revision <= ? ORDER BY m.revision"
	columns, large := columns, end-since > smallPage
	if large {
		columns = rowColumns + noLists
	}
	rows, full, err := readPage(ctx, q, columns, where, int64(since), int64(end))
	if err == nil && full {
		end = rows[len(rows)-1].Revision
	}
	if err == nil && large {
		err = readLists(ctx, q, rows, since, end)
	}
	var list []driver.Change
	switch {
	case sqlitex.Damaged(err):
		list, end, err = s.changedOneByOne(ctx, q, since, end)
	case err == nil:
		list = s.changesOf(rows)
	}
	if err != nil {
		return nil, 0, err
	}
	purged, err := tombstones(ctx, q, since, end)
	if err != nil || len(purged) == 0 {
		return list, end, err
	}
	list = append(list, purged...)
	slices.SortFunc(list, func(a, b driver.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return list, end, nil
}

// Changed implements [driver.Tx].
func (t *Tx) Changed(since hippo.Revision) ([]*hippo.Memory, error) {
	var found []stored
	for full := true; full; {
		page, more, err := readPage(t.ctx, t, columns, "m.revision > ? ORDER BY m.revision", int64(since))
		if err != nil {
			return nil, err
		}
		found = append(found, page...)
		if full = more; full {
			since = page[len(page)-1].Revision
		}
	}
	ms, err := t.bad.split(found)
	return ms, driver.Readable(err)
}

// changesOf returns the changes that made these memories.
func (s *Store) changesOf(rows []stored) []driver.Change {
	list := make([]driver.Change, len(rows))
	for i, m := range rows {
		list[i] = driver.Change{ID: m.ID, Revision: m.Revision, Memory: m.Memory}
		if m.err != nil {
			list[i].Memory, list[i].Unreadable = nil, &api.UnreadableError{Problems: []api.StoreProblem{s.bad.problem(m.ID, m.err)}}
		}
	}
	return list
}

// The indexes that SQLite made for memory.id and memory.revision.
const (
	idIndex       = "sqlite_autoindex_memory_1"
	revisionIndex = "sqlite_autoindex_memory_2"
)

// changedOneByOne returns a page of changed memories past rows that cannot be read, which it finds
// by their revisions, and the revision up to which it has all.
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
	last = end
	if len(keys) == pageSize {
		last = hippo.Revision(keys[pageSize-1][1])
	}
	for _, k := range keys {
		rows, _, err := readPage(ctx, q, columns, "m.pk = ?", k[0])
		one := s.changesOf(rows)
		if sqlitex.Damaged(err) {
			p := s.bad.problem(idOf(ctx, q, k[0]), err)
			one = []driver.Change{{ID: p.ID, Revision: hippo.Revision(k[1]), Unreadable: &api.UnreadableError{Problems: []api.StoreProblem{p}}}}
		} else if err != nil {
			return nil, 0, err
		}
		list = append(list, one...)
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
