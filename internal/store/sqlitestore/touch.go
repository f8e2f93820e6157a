package sqlitestore

import (
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// counted is a memory to be touched, with its last access and its number of access days.
type counted struct {
	driver.Touched
	pk   int64
	days int
}

// Touch implements [driver.Tx]: a search costs as many touches as it has hits, so
// nothing else of a memory is read or written, and three statements touch them all.
func (t *Tx) Touch(day hippo.Day, counts map[hippo.ID]int) ([]driver.Touched, error) {
	list, err := countedAccesses(t, driver.Counted(counts))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	out := make([]driver.Touched, len(list))
	pks, accesses := make([]int64, len(list)), make([][3]int64, len(list))
	for i := range list {
		c := &list[i]
		if n := counts[c.ID]; c.days > 0 && c.Newest.Day >= day {
			c.Newest.Count += n
		} else {
			c.Newest = hippo.Access{Day: day, Count: n}
			c.days++
		}
		c.Revision = t.head.Revision + hippo.Revision(i+1)
		pks[i], accesses[i] = c.pk, [3]int64{c.pk, int64(c.Newest.Day), int64(c.Newest.Count)}
		out[i] = c.Touched
		delete(t.known, c.ID)
	}
	err = onEach(t, "UPDATE memory SET revision = ?2 + j.key FROM json_each(?1) j WHERE pk = j.value", pks, int64(t.head.Revision+1))
	if err == nil {
		err = onEach(t, `INSERT INTO access SELECT value->>0, value->>1, value->>2 FROM json_each(?) WHERE true
			ON CONFLICT DO UPDATE SET count = excluded.count`, accesses)
	}
	if err != nil {
		return nil, err
	}
	t.head.Revision += hippo.Revision(len(list))
	return out, trimAccesses(t, list)
}

// countedAccesses reads the accesses that Touch needs, in the order of ids.
func countedAccesses(t *Tx, ids []hippo.ID) ([]counted, error) {
	found := make(map[hippo.ID]counted, len(ids))
	for rest := ids; len(rest) > 0; {
		var args []any
		args, rest = batch(rest)
		if err := countAccesses(t, found, args); err != nil {
			return nil, err
		}
	}
	out := make([]counted, 0, len(found))
	for _, id := range ids {
		if c, ok := found[id]; ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// countAccesses adds the memories of one statement to found.
func countAccesses(t *Tx, found map[hippo.ID]counted, ids []any) error {
	for rows, err := range sqlitex.Rows(t.ctx, t, `SELECT m.id, m.pk, ifnull(max(a.day), 0), ifnull(a.count, 0), count(a.day)
		FROM memory m LEFT JOIN access a ON a.memory = m.pk WHERE m.id IN `+placeholders(len(ids))+" GROUP BY m.pk", ids...) {
		if err != nil {
			return err
		}
		var c counted
		var id sql.RawBytes
		if err := rows.Scan(&id, &c.pk, &c.Newest.Day, &c.Newest.Count, &c.days); err != nil {
			return err
		}
		copy(c.ID[:], id)
		found[c.ID] = c
	}
	return nil
}

// onEach runs a statement on a list, which is passed as JSON.
func onEach(t *Tx, query string, list any, args ...any) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return t.Exec(query, slices.Concat([]any{string(data)}, args)...)
}

// trimAccesses drops the days before the last [hippo.MaxAccessDays].
func trimAccesses(t *Tx, list []counted) error {
	for _, c := range list {
		if c.days <= hippo.MaxAccessDays {
			continue
		}
		err := t.Exec(`DELETE FROM access WHERE memory = ?1 AND day <=
			(SELECT day FROM access WHERE memory = ?1 ORDER BY day DESC LIMIT 1 OFFSET ?2)`, c.pk, hippo.MaxAccessDays)
		if err != nil {
			return err
		}
	}
	return nil
}
