package sqlitestore

import (
	"database/sql"

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

// PurgeHistory removes the history of a purged memory. The other versions of its operations no
// longer count it; it returns the memories of those.
func (t *past) PurgeHistory(id hippo.ID) (others []hippo.ID, err error) {
	others, err = t.uncount(id)
	if err == nil {
		err = t.dropHistory(id)
	}
	return others, err
}

// siblingVersions are the versions v that count one of a memory.
const siblingVersions = ` FROM version v WHERE v.memory <> ?1 AND EXISTS (SELECT 1 FROM version p WHERE p.memory = ?1
	AND p.operation = v.operation AND p.namespace = v.namespace AND p.project = v.project) AND v.operation IN (SELECT operation FROM version WHERE memory = ?1)`

// uncount lets the versions that count one of a memory no longer do so, and returns their memories.
func (t *past) uncount(id hippo.ID) (others []hippo.ID, err error) {
	for rows, err := range sqlitex.Rows(t.ctx, t.Tx, "SELECT DISTINCT v.memory"+siblingVersions, id[:]) {
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
	if len(others) == 0 {
		return nil, nil
	}
	return others, t.Exec("UPDATE version SET siblings = siblings - 1 WHERE pk IN (SELECT v.pk"+siblingVersions+")", id[:])
}
