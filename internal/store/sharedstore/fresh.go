package sharedstore

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// unseen is the condition of rows that were never seen under their hash and id together.
const unseen = "NOT EXISTS (SELECT 1 FROM shared_row r WHERE r.row = memories.id AND r.hash = memories.content_hash)"

// addRows takes over those of some rows that were not seen yet. Those whose text is known here by its hash, since another program
// stored it again, are applied one by one; all others together, which takes a fraction of the statements.
func addRows(ctx context.Context, c *reconciler, ids []int64) error {
	for part := range slices.Chunk(ids, rowsAtOnce) {
		rows, err := rowsOf(ctx, c, part, unseen)
		if err != nil {
			return err
		}
		linked, err := linked(ctx, c, rows)
		if err != nil {
			return err
		}
		var unknown []*row
		for i := range rows {
			r := &rows[i]
			if !linked[r.key()] {
				unknown = append(unknown, r)
				continue
			}
			by, _ := textOf(r.superseded)
			was, err := c.agreed(r.key())
			if err == nil {
				err = c.apply(r, difference{changed: true, moved: by != was})
			}
			if err != nil {
				return err
			}
		}
		if err := addAll(c, unknown); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf reads those of the rows with some ids for which a condition holds, in the order of the ids.
func rowsOf(ctx context.Context, c *reconciler, ids []int64, condition string) ([]row, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return c.layout.rows(ctx, c, "id IN (SELECT value FROM json_each(?)) AND "+condition, string(list))
}

// leave separates new rows that may be taken over later from those whose text is known here by its hash: what others did to a
// memory is applied before it is written here, or one of both would be lost. Those whose hash is no text are never seen, and so
// never left. Both are in ascending order.
func leave(ctx context.Context, q sqlitex.Queryer, fresh []int64) (left, now []int64, err error) {
	known := make(map[int64]bool)
	for rows, err := range sqlitex.Rows(ctx, q, "SELECT id FROM memories WHERE (content_hash IN (SELECT hash FROM shared_memory) OR typeof(content_hash) <> 'text') AND "+unseen) {
		var id int64
		if err == nil {
			err = rows.Scan(&id)
		}
		if err != nil {
			return nil, nil, err
		}
		known[id] = true
	}
	for _, id := range slices.Sorted(slices.Values(fresh)) {
		if known[id] {
			now = append(now, id)
		} else {
			left = append(left, id)
		}
	}
	return left, now, nil
}

// linked returns which of the rows show memories, or did, by their hashes.
func linked(ctx context.Context, c *reconciler, rows []row) (map[string]bool, error) {
	hashes := make([]string, len(rows))
	for i := range rows {
		hashes[i] = rows[i].key()
	}
	list, err := json.Marshal(hashes)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(ctx, c, "SELECT hash FROM shared_memory WHERE hash IN (SELECT value FROM json_each(?))", string(list))
	linked := make(map[string]bool, len(names))
	for _, name := range names {
		linked[name] = true
	}
	return linked, err
}

// addAll adds the memories of rows that are linked to none. A deleted row has none to forget, and one that cannot be a
// memory is listed among the problems: both count as seen.
func addAll(c *reconciler, rows []*row) error {
	var ms []*hippo.Memory
	links := [][2]string{} // the ID of a memory in hexadecimal, and the hash of its row
	ids, seen := make([]hippo.ID, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		ids[i], seen[i] = formats.ImportID(client, r.key()), r.id
	}
	if err := c.Prefetch(ids); err != nil {
		return err
	}
	for i, r := range rows {
		if by, _ := textOf(r.superseded); by != "" {
			c.successors = append(c.successors, successor{r.key(), by})
		}
		m, bad := r.memory()
		if bad != nil || m.Forgotten() {
			continue
		}
		var err error
		if m.ID, err = freeID(c, ids[i], r.key()); err != nil {
			return err
		}
		follow(nil, m)
		takeSurprise(nil, m)
		ms, links = append(ms, m), append(links, [2]string{hex.EncodeToString(m.ID[:]), r.key()})
	}
	if err := c.Tx.Put(ms...); err != nil {
		return err
	}
	return linkAll(c, links, seen)
}

// linkAll makes rows show memories, and records all that were seen, but for those whose hash is no text: they come again each
// time. Sorted rows go to few pages of the file.
func linkAll(c *reconciler, links [][2]string, seen []int64) error {
	for _, part := range []struct {
		query string
		list  any
	}{
		{`INSERT INTO shared_memory SELECT unhex(value->>0) AS memory, value->>1 AS hash FROM json_each(?) WHERE true ORDER BY memory
			ON CONFLICT DO UPDATE SET hash = excluded.hash`, links},
		{`INSERT INTO shared_row (hash, row, created_at, updated_at, deleted_at)
			SELECT content_hash, id, created_at, updated_at, deleted_at FROM memories
			WHERE id IN (SELECT value FROM json_each(?)) AND typeof(content_hash) = 'text' ORDER BY content_hash
			ON CONFLICT DO UPDATE SET row = excluded.row, created_at = excluded.created_at, updated_at = excluded.updated_at, deleted_at = excluded.deleted_at`, seen},
	} {
		b, err := json.Marshal(part.list)
		if err == nil {
			err = c.Exec(part.query, string(b))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// freeID returns the ID of the memory of a row: the one that is made of its hash, so that it is the same one in a copy
// of the file, or another one if that is taken.
func freeID(c *reconciler, id hippo.ID, hash string) (hippo.ID, error) {
	for name := hash; ; {
		there, err := c.Peek(id)
		if err == nil && there == nil {
			return id, nil
		}
		if err := driver.Readable(err); err != nil {
			return id, err
		}
		name += "+"
		id = formats.ImportID(client, name)
	}
}

// countSeen returns how many rows there are, and how many of them, or of others that are gone, were seen.
func countSeen(ctx context.Context, q sqlitex.Queryer) (rows, seen int, err error) {
	_, err = sqlitex.First(ctx, q, "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM shared_row)", nil, &rows, &seen)
	return rows, seen, err
}
