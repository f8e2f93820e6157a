package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// relationColumns are in the order of scanRelation.
const relationColumns = "source, target, kind, weight, valid_from, valid_until, reinforced"

// strongest returns the statement that asks for the strongest relations of n
// memories, which are at the end near of them: a row of JSON a memory. It takes the
// time twice, then how many are wanted, then the IDs. The inner query walks an index
// and stops early, whatever the number of relations. JSON holds weights to the last
// bit.
func strongest(n int, near, far string) string {
	return `SELECT m.id, (SELECT json_group_array(json_array(hex(` + far + `), kind, weight, valid_from, valid_until, reinforced)) FROM (
			SELECT ` + far + `, kind, weight, valid_from, valid_until, reinforced FROM relation
			WHERE ` + near + ` = m.id AND ifnull(valid_from <= ?, 1) AND ifnull(valid_until > ?, 1)
				AND NOT EXISTS (SELECT 1 FROM memory f INDEXED BY forgotten WHERE f.id = ` + far + ` AND f.forgotten_at IS NOT NULL)
			ORDER BY weight DESC, reinforced DESC, ` + far + `, kind LIMIT ?))
		FROM memory m WHERE m.forgotten_at IS NULL AND m.id IN ` + marks(n)
}

// Relations implements [driver.Relations].
func (s *Store) Relations(ctx context.Context, ids []hippo.ID, at time.Time, most int) ([]hippo.Relation, error) {
	if most <= 0 {
		return nil, ctx.Err()
	}
	found := make(map[hippo.ID][]hippo.Relation, len(ids))
	for rest := ids; len(rest) > 0; {
		var args []any
		args, rest = batch(rest)
		n := len(args)
		args = append([]any{micros(at), micros(at), most}, args...)
		err := s.readStrongest(ctx, found, true, strongest(n, "source", "target"), args...)
		if err == nil {
			err = s.readStrongest(ctx, found, false, strongest(n, "target", "source"), args...)
		}
		if err != nil {
			return nil, s.explain("read", err)
		}
	}
	return join(found, most), ctx.Err()
}

// readStrongest adds what a statement of strongest finds.
func (s *Store) readStrongest(ctx context.Context, found map[hippo.ID][]hippo.Relation, source bool, query string, args ...any) error {
	rows, err := s.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	for rows.Next() {
		var id, list sql.RawBytes
		if err := rows.Scan(&id, &list); err != nil {
			return err
		}
		if len(list) <= len("[]") {
			continue
		}
		near := hippo.ID(id)
		var of []json.RawMessage
		if err := json.Unmarshal(list, &of); err != nil {
			return fmt.Errorf("%w: relations of memory %v: %w", hippo.ErrCorrupt, near, err)
		}
		for _, x := range of {
			r, err := unpackRelation(x, near, source)
			if err != nil {
				return fmt.Errorf("%w: relations of memory %v: %w", hippo.ErrCorrupt, near, err)
			}
			found[near] = append(found[near], r)
		}
	}
	return rows.Err()
}

// unpackRelation reads one element of a row of strongest.
func unpackRelation(x json.RawMessage, near hippo.ID, source bool) (hippo.Relation, error) {
	var far string
	var times [3]*int64
	r := hippo.Relation{From: near}
	if err := json.Unmarshal(x, &[]any{&far, &r.Kind, &r.Weight, &times[0], &times[1], &times[2]}); err != nil {
		return r, err
	}
	if _, err := hex.Decode(r.To[:], []byte(far)); err != nil {
		return r, err
	}
	if !source {
		r.From, r.To = r.To, r.From
	}
	for i, to := range []*time.Time{&r.ValidFrom, &r.ValidUntil, &r.LastReinforced} {
		if times[i] != nil {
			*to = time.UnixMicro(*times[i]).UTC()
		}
	}
	return r, nil
}

// join keeps the strongest of each memory, of those at its two ends.
func join(of map[hippo.ID][]hippo.Relation, most int) []hippo.Relation {
	var out []hippo.Relation
	for _, list := range of {
		slices.SortFunc(list, func(a, b hippo.Relation) int { return driver.Stronger(&a, &b) })
		list = slices.CompactFunc(list, same) // of a batch that repeats an ID
		out = append(out, list[:min(len(list), most)]...)
	}
	slices.SortFunc(out, func(a, b hippo.Relation) int { return a.Compare(&b) })
	return slices.CompactFunc(out, same)
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
