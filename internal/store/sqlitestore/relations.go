package sqlitestore

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// relationColumns are in the order of scanRelation.
const relationColumns = "source, target, kind, weight, valid_from, valid_until, reinforced"

// together is how many memories one statement of strongest asks for: most of the time
// goes into beginning and ending one.
const together = 8

// strongest asks for the strongest relations of memories: those that each is the source
// of, then those that it is the target of. It takes the time, how many are wanted of
// each, and the memories; NULL for none. Each part walks an index and stops early,
// whatever the number of relations.
func strongest() string {
	var parts []string
	for i := range together {
		near := "?" + strconv.Itoa(i+3)
		parts = append(parts, strongestAt(near, "source", "target"), strongestAt(near, "target", "source"))
	}
	return strings.Join(parts, " UNION ALL ")
}

func strongestAt(memory, near, far string) string {
	forgotten := "EXISTS (SELECT 1 FROM memory f INDEXED BY forgotten WHERE f.forgotten_at IS NOT NULL AND f.id = "
	return "SELECT * FROM (SELECT " + relationColumns + " FROM relation WHERE " + near + " = " + memory + `
			AND ifnull(valid_from <= ?1, 1) AND ifnull(valid_until > ?1, 1)
			AND NOT ` + forgotten + memory + ") AND NOT " + forgotten + far + `)
		ORDER BY weight DESC, reinforced DESC, ` + far + ", kind LIMIT ?2)"
}

// Relations implements [driver.Relations].
func (s *Store) Relations(ctx context.Context, ids []hippo.ID, at time.Time, most int) ([]hippo.Relation, error) {
	if most <= 0 {
		return nil, ctx.Err()
	}
	var found []hippo.Relation
	for some := range slices.Chunk(ids, together) {
		args := make([]any, 2+together)
		args[0], args[1] = micros(at), most
		for i := range some {
			args[2+i] = some[i][:]
		}
		rs, err := readRelations(ctx, s, s.strongest, args...)
		if err != nil {
			return nil, s.explain("read", err)
		}
		found = append(found, rs...)
	}
	return best(found, ids, most), ctx.Err()
}

// best keeps the strongest of each memory, by From, To and Kind. The relations hold as
// many at both of its ends, some of them twice.
func best(rs []hippo.Relation, ids []hippo.ID, most int) []hippo.Relation {
	left := make(map[hippo.ID]int, len(ids))
	for _, id := range ids {
		left[id] = most
	}
	slices.SortFunc(rs, func(a, b hippo.Relation) int { return driver.Stronger(&a, &b) })
	rs = slices.CompactFunc(rs, same)
	rs = slices.DeleteFunc(rs, func(r hippo.Relation) bool {
		from, to := left[r.From], left[r.To]
		left[r.From], left[r.To] = from-1, to-1
		return from <= 0 && to <= 0
	})
	slices.SortFunc(rs, func(a, b hippo.Relation) int { return a.Compare(&b) })
	return rs
}

func same(a, b hippo.Relation) bool { return a.Compare(&b) == 0 }

// readRelations reads the rows of a query for relationColumns.
func readRelations(ctx context.Context, q queryer, query string, args ...any) ([]hippo.Relation, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	var out []hippo.Relation
	for rows.Next() {
		r, err := scanRelation(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

func scanRelation(rows *sql.Rows) (r hippo.Relation, err error) {
	var from, to sql.RawBytes
	var times [3]sql.NullInt64
	if err := rows.Scan(&from, &to, &r.Kind, &r.Weight, &times[0], &times[1], &times[2]); err != nil {
		return r, err
	}
	copy(r.From[:], from)
	copy(r.To[:], to)
	r.ValidFrom, r.ValidUntil, r.LastReinforced = timeOf(times[0]), timeOf(times[1]), timeOf(times[2])
	return r, nil
}

// timeOf undoes micros.
func timeOf(t sql.NullInt64) time.Time {
	if !t.Valid {
		return time.Time{}
	}
	return time.UnixMicro(t.Int64).UTC()
}

// AllRelations implements [driver.Relations]. It holds all of them in RAM, some
// 100 bytes each, so that no connection is held while the loop runs.
func (s *Store) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		all, err := readRelations(ctx, s, "SELECT "+relationColumns+" FROM relation ORDER BY source, target, kind")
		for _, r := range all {
			if err != nil {
				break
			}
			if !yield(r, nil) {
				return
			}
			err = ctx.Err()
		}
		if err != nil {
			yield(hippo.Relation{}, s.explain("read", err))
		}
	}
}

// Relate implements [driver.Relations].
func (s *Store) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return s.Write(ctx, d, func(dt driver.Tx) error {
		t := dt.(*tx) //nolint:errcheck // the writer has no other
		for _, r := range rs {
			if err := t.relate(r, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tx) relate(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	var pk sql.NullInt64
	var weight sql.NullFloat64
	var times [3]sql.NullInt64
	there := 0
	err := t.one(`SELECT n, pk, weight, valid_from, valid_until, reinforced FROM
		(SELECT count(*) AS n FROM memory WHERE id IN (?, ?)) LEFT JOIN relation ON source = ? AND target = ? AND kind = ?`,
		[]any{r.From[:], r.To[:], r.From[:], r.To[:], r.Kind}, &there, &pk, &weight, &times[0], &times[1], &times[2])
	if err != nil || there < 2 {
		return err
	}
	old := hippo.Relation{
		From: r.From, To: r.To, Kind: r.Kind, Weight: weight.Float64,
		ValidFrom: timeOf(times[0]), ValidUntil: timeOf(times[1]), LastReinforced: timeOf(times[2]),
	}
	next := fn(old, r)
	next.From, next.To, next.Kind = r.From, r.To, r.Kind
	values := []any{next.Weight, micros(next.ValidFrom), micros(next.ValidUntil), micros(next.LastReinforced)}
	switch {
	case next == old || next.Weight == 0 && !pk.Valid:
		return nil
	case next.Weight == 0:
		t.head.Relations--
		return t.w.exec(t.ctx, "DELETE FROM relation WHERE pk = ?", pk.Int64)
	case pk.Valid:
		return t.w.exec(t.ctx, "UPDATE relation SET (weight, valid_from, valid_until, reinforced) = (?, ?, ?, ?) WHERE pk = ?", append(values, pk.Int64)...)
	}
	t.head.Relations++
	return t.w.exec(t.ctx, "INSERT INTO relation (source, target, kind, weight, valid_from, valid_until, reinforced) VALUES (?, ?, ?, ?, ?, ?, ?)",
		append([]any{r.From[:], r.To[:], r.Kind}, values...)...)
}

// part removes the relations of a memory.
func (t *tx) part(id hippo.ID) error {
	n := 0
	if err := t.one("SELECT count(*) FROM relation WHERE source = ? OR target = ?", []any{id[:], id[:]}, &n); err != nil || n == 0 {
		return err
	}
	t.head.Relations -= n
	return t.w.exec(t.ctx, "DELETE FROM relation WHERE source = ? OR target = ?", id[:], id[:])
}
