package sqlitestore

import (
	"context"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// A page is what is read at once: no read transaction is open while the caller
// works, so that it never holds up a checkpoint. It ends after so many memories,
// or with the one whose text passes the limit of bytes: content may be long.
const (
	changesPage  = 1000
	changesBytes = 4 << 20
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
			page, upto, err := s.page(ctx, since, head.Revision)
			if err != nil {
				yield(driver.Change{}, s.explain("read", err))
				return
			}
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
			since = upto
		}
	}
}

// page returns the changes after since, up to and including the revision that it
// returns, at most end.
func (s *Store) page(ctx context.Context, since, end hippo.Revision) ([]driver.Change, hippo.Revision, error) {
	var changes []driver.Change
	size, whole := 0, true
	add := func(m stored) bool {
		changes = append(changes, driver.Change{ID: m.ID, Revision: m.Revision, Memory: m.Memory})
		size += len(m.Content)
		whole = size < changesBytes && len(changes) < changesPage
		return whole
	}
	err := each(ctx, s, add, "SELECT "+columns+` FROM memory m
		WHERE m.revision > ? AND m.revision <= ? ORDER BY m.revision`, int64(since), int64(end))
	if err != nil {
		return nil, 0, err
	}
	if !whole {
		end = changes[len(changes)-1].Revision
	}
	purged, err := s.tombstones(ctx, since, end)
	if err != nil {
		return nil, 0, err
	}
	if len(purged) > 0 {
		changes = append(changes, purged...)
		slices.SortFunc(changes, func(a, b driver.Change) int {
			if a.Revision < b.Revision {
				return -1
			}
			return 1 // revisions are unique
		})
	}
	return changes, end, nil
}

func (s *Store) tombstones(ctx context.Context, since, end hippo.Revision) ([]driver.Change, error) {
	rows, err := s.QueryContext(ctx, "SELECT id, revision FROM tombstone WHERE revision > ? AND revision <= ?", int64(since), int64(end))
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	var out []driver.Change
	for rows.Next() {
		var c driver.Change
		var id []byte
		if err := rows.Scan(&id, &c.Revision); err != nil {
			return nil, err
		}
		copy(c.ID[:], id)
		out = append(out, c)
	}
	return out, rows.Err()
}
