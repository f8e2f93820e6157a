package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// relationColumns are in the order of scanRelation.
const relationColumns = "source, target, kind, weight, valid_from, valid_until, reinforced"

// idsPerQuery is the number of memories of one strongestQuery: most of its time is a fixed
// cost.
const idsPerQuery = 8

// strongestQuery returns the query for the strongest relations of memories: for each
// those that it is the source of, then those that it is the target of. Its parameters
// are the time, the limit for each of these parts, the namespace, the projects as a JSON
// array, NULL for all, and the memories, NULL for none. Each part walks an index in the
// order of strength and stops at the limit, whatever the number of relations. visible
// returns the condition that a caller sees a memory.
func strongestQuery(visible func(id string) string) string {
	part := func(id, near, far string) string {
		return "SELECT * FROM (SELECT " + relationColumns + " FROM relation WHERE " + near + " = " + id + `
			AND ifnull(valid_from <= ?1, 1) AND ifnull(valid_until > ?1, 1)
			AND ` + visible(id) + " AND " + visible(far) + `
		ORDER BY weight DESC, reinforced DESC, ` + far + ", kind, valid_from LIMIT ?2)"
	}
	var parts []string
	for i := range idsPerQuery {
		id := "?" + strconv.Itoa(i+5)
		parts = append(parts, part(id, "source", "target"), part(id, "target", "source"))
	}
	return strings.Join(parts, " UNION ALL ")
}

// scopeQueries are the queries for scopes of the default namespace, such with a list of
// projects, and those of another namespace.
type scopeQueries struct{ byDefault, inProjects, inNamespace string }

func newScopeQueries() scopeQueries {
	const hidden = "EXISTS (SELECT 1 FROM memory h INDEXED BY hidden WHERE (h.forgotten_at IS NOT NULL OR h.namespace <> '') AND h.id = "
	byDefault := func(id string) string { return "NOT " + hidden + id + ")" }
	return scopeQueries{
		byDefault: strongestQuery(byDefault),
		inProjects: strongestQuery(func(id string) string {
			return byDefault(id) + " AND (SELECT project FROM memory v WHERE v.id = " + id + ") IN (SELECT value FROM json_each(?4))"
		}),
		inNamespace: strongestQuery(func(id string) string {
			return hidden + id + ` AND h.forgotten_at IS NULL AND h.namespace = ?3
				AND (?4 IS NULL OR h.project IN (SELECT value FROM json_each(?4))))`
		}),
	}
}

// of returns the query for a scope.
func (q *scopeQueries) of(s *hippo.Scope) string {
	switch {
	case s.Namespace != "":
		return q.inNamespace
	case s.Projects != nil:
		return q.inProjects
	default:
		return q.byDefault
	}
}

// relations is the part of a [Store] that keeps relations. It implements
// [driver.Relations].
type relations struct {
	db     *sqlitex.DB
	writer *sqlitex.Writer[*Tx]
	// strongest are the queries for relations, which are long and part of every search.
	strongest scopeQueries
}

// Relations implements [driver.Relations].
func (s *relations) Relations(ctx context.Context, q driver.RelationQuery) ([]hippo.Relation, error) {
	if q.Limit <= 0 {
		return nil, ctx.Err()
	}
	args := make([]any, 4+idsPerQuery)
	args[0], args[1], args[2] = micros(q.At), q.Limit, q.Scope.Namespace
	if q.Scope.Projects != nil {
		b, err := json.Marshal(q.Scope.Projects)
		if err != nil {
			return nil, err
		}
		args[3] = string(b)
	}
	var found []hippo.Relation
	err := s.db.View(ctx, func(db *sqlitex.File) error {
		for ids := range slices.Chunk(q.IDs, idsPerQuery) {
			clear(args[4:])
			for i := range ids {
				args[4+i] = ids[i][:]
			}
			rs, err := appendRelations(ctx, db, found, s.strongest.of(&q.Scope), args...)
			if err != nil {
				return err
			}
			found = rs
		}
		return nil
	})
	return strongest(found, q.IDs, q.Limit), err
}

// strongest returns the limit strongest relations of each memory, by From, To and Kind.
// rs has as many for each of both ends, and some of them twice.
func strongest(rs []hippo.Relation, ids []hippo.ID, limit int) []hippo.Relation {
	left := make(map[hippo.ID]int, len(ids))
	for _, id := range ids {
		left[id] = limit
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
func readRelations(ctx context.Context, q sqlitex.Queryer, query string, args ...any) ([]hippo.Relation, error) {
	return appendRelations(ctx, q, nil, query, args...)
}

// appendRelations is readRelations behind others.
func appendRelations(ctx context.Context, q sqlitex.Queryer, out []hippo.Relation, query string, args ...any) ([]hippo.Relation, error) {
	for rows, err := range sqlitex.Rows(ctx, q, query, args...) {
		if err != nil {
			return nil, err
		}
		r, err := scanRelation(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
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

// timeOf is the inverse of micros.
func timeOf(t sql.NullInt64) time.Time {
	if !t.Valid {
		return time.Time{}
	}
	return time.UnixMicro(t.Int64).UTC()
}

// AllRelations implements [driver.Relations]. It holds all of them in RAM, some
// 130 bytes each, so that no connection is held while the loop runs. An index has
// all columns, ordered by the source; those of one source are few, and sorted here.
func (s *relations) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		var all []hippo.Relation
		err := s.db.View(ctx, func(q *sqlitex.File) (err error) {
			n := 0
			if _, err := sqlitex.First(ctx, q, "SELECT relations FROM state", nil, &n); err != nil {
				return err
			}
			all, err = appendRelations(ctx, q, make([]hippo.Relation, 0, max(n, 0)), "SELECT "+relationColumns+" FROM relation INDEXED BY relation_source ORDER BY source")
			return err
		})
		sortEachSource(all)
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
			yield(hippo.Relation{}, err)
		}
	}
}

// sortEachSource sorts relations, which are in the order of From, by From, To and Kind.
func sortEachSource(rs []hippo.Relation) {
	for len(rs) > 0 {
		n := slices.IndexFunc(rs, func(r hippo.Relation) bool { return r.From != rs[0].From })
		if n < 0 {
			n = len(rs)
		}
		slices.SortFunc(rs[:n], func(a, b hippo.Relation) int { return a.Compare(&b) })
		rs = rs[n:]
	}
}

// Relate implements [driver.Relations].
func (s *relations) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return s.writer.Write(ctx, d, func(t *Tx) error {
		for _, r := range rs {
			if err := t.Relate(r, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

// Relate is [driver.Relations.Relate] for one relation in a transaction.
func (t *Tx) Relate(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	if related := t.fresh[r.From]; related != nil && t.known[r.To].Memory != nil && !related[driver.KeyOf(&r)] {
		return relateFresh(t, r, fn)
	}
	var pk sql.NullInt64
	var weight sql.NullFloat64
	var times [2]sql.NullInt64
	ends := 0
	err := t.first(`SELECT n, pk, weight, valid_until, reinforced FROM
		(SELECT count(*) AS n FROM memory WHERE id IN (?, ?)) LEFT JOIN relation ON source = ? AND target = ? AND kind = ? AND valid_from IS ?`,
		[]any{r.From[:], r.To[:], r.From[:], r.To[:], r.Kind, micros(r.ValidFrom)}, &ends, &pk, &weight, &times[0], &times[1])
	if err != nil || ends < 2 {
		return err
	}
	old := driver.WithKey(hippo.Relation{Weight: weight.Float64, ValidUntil: timeOf(times[0]), LastReinforced: timeOf(times[1])}, r)
	next := driver.WithKey(fn(old, r), r)
	values := []any{next.Weight, micros(next.ValidUntil), micros(next.LastReinforced)}
	switch {
	case next == old || next.Weight == 0 && !pk.Valid:
		return nil
	case next.Weight == 0:
		t.head.Relations--
		return t.Exec("DELETE FROM relation WHERE pk = ?", pk.Int64)
	case pk.Valid:
		return t.Exec("UPDATE relation SET (weight, valid_until, reinforced) = (?, ?, ?) WHERE pk = ?", append(values, pk.Int64)...)
	}
	return insertRelation(t, &next)
}

// relateFresh is [Tx.Relate] from a memory that this transaction has inserted to one that it has read, of which it has stored no
// such relation: nothing is to be looked up. It takes half the time.
func relateFresh(t *Tx, r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	next := driver.WithKey(fn(driver.WithKey(hippo.Relation{}, r), r), r)
	if next.Weight == 0 {
		return nil
	}
	t.fresh[r.From][driver.KeyOf(&r)] = true
	return insertRelation(t, &next)
}

func insertRelation(t *Tx, r *hippo.Relation) error {
	t.head.Relations++
	return t.Exec("INSERT INTO relation (source, target, kind, weight, valid_from, valid_until, reinforced) VALUES (?, ?, ?, ?, ?, ?, ?)",
		r.From[:], r.To[:], r.Kind, r.Weight, micros(r.ValidFrom), micros(r.ValidUntil), micros(r.LastReinforced))
}

// RelationsFrom implements [driver.Tx].
func (t *Tx) RelationsFrom(id, to hippo.ID, kind string) ([]hippo.Relation, error) {
	const query = "SELECT " + relationColumns + " FROM relation WHERE source = ? AND kind = ?"
	switch {
	case id.IsZero():
		return readRelations(t.ctx, t, "SELECT "+relationColumns+" FROM relation ORDER BY source, target, kind, valid_from")
	case to.IsZero():
		return readRelations(t.ctx, t, query+" ORDER BY target, valid_from", id[:], kind)
	}
	return readRelations(t.ctx, t, query+" AND target = ? ORDER BY valid_from", id[:], kind, to[:])
}

// RelationsOf returns the relations of a memory, as seen by a transaction.
func RelationsOf(t *Tx, id hippo.ID) ([]hippo.Relation, error) {
	return readRelations(t.ctx, t, "SELECT "+relationColumns+" FROM relation WHERE source = ?1 OR target = ?1", id[:])
}

// dropRelationsOf removes the relations of a memory.
func dropRelationsOf(t *Tx, id hippo.ID) error {
	n := 0
	if err := t.first("SELECT count(*) FROM relation WHERE source = ? OR target = ?", []any{id[:], id[:]}, &n); err != nil || n == 0 {
		return err
	}
	t.head.Relations -= n
	return t.Exec("DELETE FROM relation WHERE source = ? OR target = ?", id[:], id[:])
}
