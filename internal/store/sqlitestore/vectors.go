package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/binary"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// vectors is the part of a [Store] that keeps embedding vectors. It implements
// [driver.Vectors].
type vectors struct {
	db     *sqlitex.DB
	writer *sqlitex.Writer[*Tx]
}

// Vectors implements [driver.Vectors].
func (s *vectors) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	found := make(map[hippo.ID]driver.Vector, len(ids))
	err := s.db.View(ctx, func(q *sqlitex.File) error {
		for rest := ids; len(rest) > 0; {
			var args []any
			args, rest = batch(rest)
			if err := readVectors(ctx, q, model, args, found); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return driver.VectorsOf(ids, found), nil
}

// readVectors adds to found what one statement asks for.
func readVectors(ctx context.Context, q sqlitex.Queryer, model string, ids []any, found map[hippo.ID]driver.Vector) error {
	for rows, err := range sqlitex.Rows(ctx, q, `SELECT m.id, v.text, v.value, o.dimension
		FROM memory m JOIN model o ON o.name = ? JOIN vector v ON v.model = o.pk AND v.memory = m.pk WHERE m.id IN `+placeholders(len(ids)), append([]any{model}, ids...)...) {
		if err != nil {
			return err
		}
		var id, value sql.RawBytes
		var text int64
		var dimension int
		if err := rows.Scan(&id, &text, &value, &dimension); err != nil {
			return err
		}
		all := make([]float32, len(value)/4)
		for i := range all {
			all[i] = math.Float32frombits(binary.LittleEndian.Uint32(value[4*i:]))
		}
		v := driver.Vector{ID: hippo.ID(id), Text: uint64(text), Values: all}
		if dimension > 0 && dimension < len(all) {
			v.Values, v.More = all[:dimension:dimension], all[dimension:]
		}
		found[v.ID] = v
	}
	return nil
}

// PutVectors implements [driver.Vectors].
func (s *vectors) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := driver.CheckVectors(model, vs); err != nil {
		return err
	}
	return s.writer.Write(ctx, driver.Lazy, func(t *Tx) error { return t.PutVectors(model, vs) })
}

// PutVectors is [driver.Vectors.PutVectors] in a transaction, for vectors that were checked.
func (t *Tx) PutVectors(model string, vs []driver.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	pk, err := modelKey(t, model, len(vs[0].Values))
	if err != nil {
		return err
	}
	value := make([]byte, 0, 4*len(vs[0].Values))
	for _, v := range vs {
		value = value[:0]
		for _, list := range [][]float32{v.Values, v.More} {
			for _, f := range list {
				value = binary.LittleEndian.AppendUint32(value, math.Float32bits(f))
			}
		}
		err := t.Exec(`INSERT INTO vector SELECT pk, ?, ?, ? FROM memory WHERE id = ?
			ON CONFLICT DO UPDATE SET text = excluded.text, value = excluded.value`, pk, int64(v.Text), value, v.ID[:])
		if err != nil {
			return err
		}
	}
	return nil
}

// modelKey returns the key of a model that has, or is about to get, vectors of this
// dimension.
func modelKey(t *Tx, name string, dimension int) (pk int64, err error) {
	has := 0
	err = t.first(`SELECT pk, dimension FROM model WHERE name = ?`, []any{name}, &pk, &has)
	switch {
	case err != nil || has == dimension:
		return pk, err
	case has == 0:
		err = t.first(`INSERT INTO model (name, dimension) VALUES (?, ?) RETURNING pk`, []any{name, dimension}, &pk)
		return pk, err
	}
	used := false
	if err := t.first(`SELECT EXISTS (SELECT 1 FROM vector WHERE model = ?)`, []any{pk}, &used); err != nil {
		return 0, err
	}
	if used {
		return 0, driver.CheckDimension(name, has, dimension)
	}
	return pk, t.Exec("UPDATE model SET dimension = ? WHERE pk = ?", dimension, pk)
}

// first scans the first row of a query; without one, dest is left as it is.
func (t *Tx) first(query string, args []any, dest ...any) error {
	_, err := sqlitex.First(t.ctx, t, query, args, dest...)
	return err
}

// VectorModels implements [driver.Vectors].
func (s *vectors) VectorModels(ctx context.Context) (list []driver.VectorModel, err error) {
	err = s.db.View(ctx, func(q *sqlitex.File) error {
		list, err = readVectorModels(ctx, q)
		return err
	})
	return list, err
}

func readVectorModels(ctx context.Context, q sqlitex.Queryer) (list []driver.VectorModel, err error) {
	for rows, err := range sqlitex.Rows(ctx, q, `SELECT name, dimension, n FROM model
		JOIN (SELECT model, count(*) AS n FROM vector GROUP BY model) ON model = pk ORDER BY name`) {
		if err != nil {
			return nil, err
		}
		var m driver.VectorModel
		if err := rows.Scan(&m.Name, &m.Dimension, &m.Count); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// Models returns the models that vectors were stored of, by name, as seen by a transaction: without the numbers of their
// vectors, and those too that have none any more.
func Models(t *Tx) (list []driver.VectorModel, err error) {
	for rows, err := range sqlitex.Rows(t.ctx, t, "SELECT name, dimension FROM model ORDER BY name") {
		var m driver.VectorModel
		if err == nil {
			err = rows.Scan(&m.Name, &m.Dimension)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// VectorOf returns what a model made of a memory, and whether there is one, as seen by a transaction.
func VectorOf(t *Tx, model string, id hippo.ID) (driver.Vector, bool, error) {
	found := make(map[hippo.ID]driver.Vector, 1)
	err := readVectors(t.ctx, t, model, []any{id[:]}, found)
	v, ok := found[id]
	return v, ok, err
}
