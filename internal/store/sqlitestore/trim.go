package sqlitestore

import (
	"database/sql"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// surplusQuery returns the weights of the versions of a memory, the oldest first.
const surplusQuery = `SELECT v.pk, v.operation, o.day, v.size, v.former IS NULL AND v.after = zeroblob(32)
	FROM version v JOIN operation o ON o.pk = v.operation WHERE v.memory = ? ORDER BY v.pk`

// trim removes the versions of a memory that exceed the retention.
func (t *past) trim(id hippo.ID, r hippo.Retention) error {
	var weights []driver.Weight
	var keys, ops []int64
	for rows, err := range sqlitex.Rows(t.ctx, t.Tx, surplusQuery, id[:]) {
		var pk, op int64
		var w driver.Weight
		if err == nil {
			err = rows.Scan(&pk, &op, &w.Day, &w.Bytes, &w.Unchanged)
		}
		if err != nil {
			return err
		}
		keys, ops, weights = append(keys, pk), append(ops, op), append(weights, w)
	}
	for _, i := range driver.Surplus(weights, r) {
		if err := t.Exec("DELETE FROM version WHERE pk = ?", keys[i]); err != nil {
			return err
		}
		if err := t.dropEmpty(ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// dropEmpty removes an operation without versions.
func (t *past) dropEmpty(op int64) error {
	return t.Exec("DELETE FROM operation WHERE pk = ? AND NOT EXISTS (SELECT 1 FROM version WHERE operation = operation.pk)", op)
}

// DropHistory implements [driver.Tx].
func (t *past) DropHistory(ids ...hippo.ID) error {
	for _, id := range ids {
		if err := t.dropHistory(id); err != nil {
			return err
		}
	}
	return nil
}

// dropHistory removes the versions of a memory, and the operations that have no others.
func (t *past) dropHistory(id hippo.ID) error {
	var ops []int64
	for rows, err := range sqlitex.Rows(t.ctx, t.Tx, "SELECT operation FROM version WHERE memory = ?", id[:]) {
		var op int64
		if err == nil {
			err = rows.Scan(&op)
		}
		if err != nil {
			return err
		}
		ops = append(ops, op)
	}
	if len(ops) == 0 {
		return nil
	}
	err := t.Exec("DELETE FROM version WHERE memory = ?", id[:])
	for _, op := range ops {
		if err == nil {
			err = t.dropEmpty(op)
		}
	}
	return err
}

// member is one that operations count: the memories that one changed in a project.
type member struct {
	operation          int64
	namespace, project string
}

// PurgeHistory removes the history of purged memories. The other versions of their operations no
// longer count them; it returns the memories of those. Cost: a pass over the versions of those operations.
func (t *past) PurgeHistory(ids ...hippo.ID) (others []hippo.ID, err error) {
	gone := make(map[member]int)
	for rest := ids; len(rest) > 0; {
		var some []any
		some, rest = batch(rest)
		query := "SELECT operation, namespace, project, count(DISTINCT memory) FROM version WHERE memory IN " + placeholders(len(some)) + " GROUP BY 1, 2, 3"
		for rows, err := range sqlitex.Rows(t.ctx, t.Tx, query, some...) {
			var m member
			n := 0
			if err == nil {
				err = rows.Scan(&m.operation, &m.namespace, &m.project, &n)
			}
			if err != nil {
				return nil, err
			}
			gone[m] += n
		}
	}
	if err := t.DropHistory(ids...); err != nil {
		return nil, err
	}
	for m, n := range gone {
		if others, err = t.uncount(m, n, others); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(others, hippo.ID.Compare)
	return slices.Compact(others), nil
}

// uncount lets the versions of an operation in a project count some memories less, and adds their memories to others.
func (t *past) uncount(m member, n int, others []hippo.ID) ([]hippo.ID, error) {
	const of = " FROM version WHERE operation = ? AND namespace = ? AND project = ?"
	left := len(others)
	for rows, err := range sqlitex.Rows(t.ctx, t.Tx, "SELECT memory"+of, m.operation, m.namespace, m.project) {
		var b sql.RawBytes
		if err == nil {
			err = rows.Scan(&b)
		}
		if err != nil {
			return nil, err
		}
		var other hippo.ID
		copy(other[:], b)
		others = append(others, other)
	}
	if len(others) == left {
		return others, nil
	}
	return others, t.Exec("UPDATE version SET siblings = siblings - ? WHERE operation = ? AND namespace = ? AND project = ?", n, m.operation, m.namespace, m.project)
}
