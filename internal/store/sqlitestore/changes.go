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
			err := s.db.View(ctx, func(q *sqlitex.File) (err error) {
				page, since, err = changes(ctx, q, since, head.Revision)
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
func changes(ctx context.Context, q sqlitex.Queryer, since, end hippo.Revision) ([]driver.Change, hippo.Revision, error) {
	var list []driver.Change
	size := 0
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT "+columns+` FROM memory m
		WHERE m.revision > ? AND m.revision <= ? ORDER BY m.revision`, int64(since), int64(end)) {
		if err != nil {
			return nil, 0, err
		}
		m, err := scan(rows)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, driver.Change{ID: m.ID, Revision: m.Revision, Memory: m.Memory})
		if size += len(m.Content); size >= pageBytes || len(list) == pageSize {
			end = m.Revision
			break
		}
	}
	purged, err := tombstones(ctx, q, since, end)
	if err != nil || len(purged) == 0 {
		return list, end, err
	}
	list = append(list, purged...)
	slices.SortFunc(list, func(a, b driver.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return list, end, nil
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
