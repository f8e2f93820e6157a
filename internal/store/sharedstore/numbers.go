package sharedstore

import (
	"context"
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

var _ driver.Numbered = (*Store)(nil)

// Numbers implements [driver.Numbered]: the number of a memory is the id of the row that shows it. A program that
// stores a deleted text again may give it another one.
func (s *Store) Numbers(ctx context.Context, ids []hippo.ID) (map[hippo.ID]int64, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = id.String()
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	const query = `SELECT s.memory, m.id FROM json_each(?) AS j
		JOIN shared_memory AS s ON s.memory = unhex(replace(j.value, '-', '')) JOIN memories AS m ON m.content_hash = s.hash`
	out := make(map[hippo.ID]int64, len(ids))
	err = s.eachPair(ctx, query, string(list), func(id hippo.ID, row int64) { out[id] = row })
	return out, err
}

// Bearers implements [driver.Numbered].
func (s *Store) Bearers(ctx context.Context, number int64) (ids []hippo.ID, err error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	const query = "SELECT s.memory, m.id FROM memories AS m JOIN shared_memory AS s ON s.hash = m.content_hash WHERE m.id = ?"
	err = s.eachPair(ctx, query, number, func(id hippo.ID, _ int64) { ids = append(ids, id) })
	return ids, err
}

// eachPair calls fn with the rows of a query with one argument: a memory and the id of a row.
func (s *Store) eachPair(ctx context.Context, query string, arg any, fn func(hippo.ID, int64)) error {
	return s.inner.DB().View(ctx, func(f *sqlitex.File) error {
		for rows, err := range sqlitex.Rows(ctx, f, query, arg) {
			var b []byte
			var row int64
			if err == nil {
				err = rows.Scan(&b, &row)
			}
			if err != nil {
				return err
			}
			fn(hippo.ID(b), row)
		}
		return nil
	})
}
