package pgstore

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// A page is what is read at once: no connection is held while the caller works. It ends after pageSize changes, or with the memory
// whose content reaches pageBytes.
const (
	pageSize  = 1000
	pageBytes = 4 << 20
)

// selectPage reads the memories of a page. The size of a content is known without reading it.
const selectPage = "SELECT " + memoryColumns + ` FROM (
		SELECT *, sum(octet_length(content)) OVER (ORDER BY revision ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
		FROM hippo.memory WHERE tenant = $1 AND revision > $2 AND revision <= $3 ORDER BY revision LIMIT $4
	) m` + withAccesses + "WHERE coalesce(before, 0) < $5 ORDER BY revision"

const selectTombstones = "SELECT id, revision FROM hippo.tombstone WHERE tenant = $1 AND revision > $2 AND revision <= $3 ORDER BY revision LIMIT $4"

// Changes implements [driver.Backend]. It yields the state at the moment of the first step: what changes meanwhile has later
// revisions, and is left for the next call. Cost: a round trip for the head, and one for a page.
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		head, err := s.head(ctx)
		for err == nil && since < head.Revision {
			var page []driver.Change
			err = s.view(ctx, func(q querier) (err error) {
				page, err = s.page(ctx, q, since, head.Revision)
				return err
			})
			if err != nil || len(page) == 0 {
				break
			}
			since = page[len(page)-1].Revision
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
			err = ctx.Err()
		}
		if err != nil {
			yield(driver.Change{}, err)
		}
	}
}

// page returns the first of the changes after since up to end; none if there are none.
func (s *Store) page(ctx context.Context, q querier, since, end hippo.Revision) ([]driver.Change, error) {
	var memories []stored
	var list []driver.Change
	b := &pgx.Batch{}
	b.Queue(selectPage, s.tenant, since, end, pageSize, pageBytes).Query(func(rows pgx.Rows) (err error) {
		memories, err = pgx.CollectRows(rows, scanMemory)
		return err
	})
	b.Queue(selectTombstones, s.tenant, since, end, pageSize).Query(func(rows pgx.Rows) (err error) {
		list, err = pgx.CollectRows(rows, scanTombstone)
		return err
	})
	if err := q.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	if len(list) == pageSize {
		end = list[pageSize-1].Revision
	}
	if full(memories) {
		end = min(end, memories[len(memories)-1].Revision)
	}
	for _, m := range memories {
		list = append(list, s.change(m))
	}
	list = slices.DeleteFunc(list, func(c driver.Change) bool { return c.Revision > end })
	slices.SortFunc(list, func(a, b driver.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return list, nil
}

// full reports whether a page may have ended before the last memory.
func full(page []stored) bool {
	size := 0
	for _, m := range page {
		size += len(m.Content)
	}
	return len(page) == pageSize || size >= pageBytes
}

func scanTombstone(row pgx.CollectableRow) (c driver.Change, err error) {
	err = row.Scan((*[16]byte)(&c.ID), &c.Revision)
	return c, err
}

// change returns the change that made a memory what it is.
func (s *Store) change(m stored) driver.Change {
	c := driver.Change{ID: m.ID, Revision: m.Revision, Memory: m.Memory}
	if m.err != nil {
		c.Memory, c.Unreadable = nil, &api.UnreadableError{Problems: []api.StoreProblem{s.bad.problem(m.ID, m.err)}}
	}
	return c
}

const selectChanged = "SELECT " + memoryColumns + " FROM hippo.memory m" + withAccesses + "WHERE m.tenant = $1 AND revision > $2"

// Changed implements [driver.Tx].
func (t *tx) Changed(since hippo.Revision) ([]*hippo.Memory, error) {
	found, err := read(t.group, scanMemory, selectChanged, t.tenant, since)
	if err != nil {
		return nil, err
	}
	ids := make([]hippo.ID, 0, len(found)+len(t.rows))
	for _, m := range found {
		t.learn(m)
		ids = append(ids, m.ID)
	}
	for id := range t.rows {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	ms, err := t.Get(slices.Compact(ids)...)
	ms = slices.DeleteFunc(ms, func(m *hippo.Memory) bool { return m.Revision <= since })
	slices.SortFunc(ms, func(a, b *hippo.Memory) int { return cmp.Compare(a.Revision, b.Revision) })
	return ms, driver.Readable(err)
}
