package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// counted is a memory to be touched, with its last access and its number of access days.
type counted struct {
	driver.Use
	pk   int64
	days int
}

// Touch implements [driver.Tx]: a search costs as many touches as it has hits, so
// nothing else of a memory is read or written, and two statements touch them all.
func (t *Tx) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	list, err := countedAccesses(t, driver.Counted(counts))
	if err != nil || len(list) == 0 {
		return err
	}
	accesses := make([][3]int64, len(list))
	for i := range list {
		c := &list[i]
		if n := counts[c.ID]; c.days > 0 && c.Day >= day {
			c.Count += n
		} else {
			c.Access = hippo.Access{Day: day, Count: n}
			c.days++
		}
		accesses[i] = [3]int64{c.pk, int64(c.Day), int64(c.Count)}
		delete(t.known, c.ID)
	}
	err = onEach(t, `INSERT INTO access SELECT value->>0, value->>1, value->>2 FROM json_each(?) WHERE true
		ON CONFLICT DO UPDATE SET count = excluded.count`, accesses)
	if err != nil {
		return err
	}
	return trimAccesses(t, list)
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
		if err := rows.Scan(&id, &c.pk, &c.Day, &c.Count, &c.days); err != nil {
			return err
		}
		copy(c.ID[:], id)
		found[c.ID] = c
	}
	return nil
}

// onEach runs a statement on a list, which is passed as JSON.
func onEach(t *Tx, query string, list any) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return t.Exec(query, string(data))
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

// usesPage is how many accesses are read at once.
const usesPage = 1000

// Uses implements [driver.Backend]: by day.
func (s *Store) Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	return func(yield func(driver.Use, error) bool) {
		last := usesAfter{day: since}
		for full := true; full; {
			var page []driver.Use
			err := s.db.View(ctx, func(f *sqlitex.File) (err error) {
				page, err = last.read(ctx, f)
				return err
			})
			if err != nil {
				yield(driver.Use{}, err)
				return
			}
			for _, u := range page {
				if !yield(u, nil) {
					return
				}
			}
			full = len(page) == usesPage
		}
	}
}

// usesAfter is how far the accesses were read.
type usesAfter struct {
	day hippo.Day
	pk  int64
}

// read returns the next page, and moves behind it.
func (a *usesAfter) read(ctx context.Context, q sqlitex.Queryer) (page []driver.Use, err error) {
	for rows, err := range sqlitex.Rows(ctx, q, `SELECT m.id, a.memory, a.day, a.count FROM access a INDEXED BY access_day JOIN memory m ON m.pk = a.memory
		WHERE (a.day, a.memory) > (?, ?) ORDER BY a.day, a.memory LIMIT ?`, int(a.day), a.pk, usesPage) {
		if err != nil {
			return nil, err
		}
		var u driver.Use
		var id sql.RawBytes
		if err := rows.Scan(&id, &a.pk, &u.Day, &u.Count); err != nil {
			return nil, err
		}
		copy(u.ID[:], id)
		a.day = u.Day
		page = append(page, u)
	}
	return page, nil
}
