package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/binary"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Vectors implements [driver.Vectors].
func (s *Store) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	found := make(map[hippo.ID]driver.Vector, len(ids))
	for rest := ids; len(rest) > 0; {
		var args []any
		args, rest = batch(rest)
		if err := s.readVectors(ctx, model, args, found); err != nil {
			return nil, s.explain("read", err)
		}
	}
	out := make([]driver.Vector, 0, len(found))
	given := make(map[hippo.ID]bool, len(found))
	for _, id := range ids {
		if v, ok := found[id]; ok {
			if given[id] { // an ID given twice is answered twice
				v.Values = slices.Clone(v.Values)
			}
			given[id] = true
			out = append(out, v)
		}
	}
	return out, ctx.Err()
}

// readVectors adds to found what one statement asks for.
func (s *Store) readVectors(ctx context.Context, model string, ids []any, found map[hippo.ID]driver.Vector) error {
	rows, err := s.QueryContext(ctx, `SELECT m.id, v.text, v.value FROM memory m JOIN vector v ON v.memory = m.pk
		WHERE v.model = (SELECT pk FROM model WHERE name = ?) AND m.id IN `+marks(len(ids)), append([]any{model}, ids...)...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	for rows.Next() {
		var id, value sql.RawBytes
		var text int64
		if err := rows.Scan(&id, &text, &value); err != nil {
			return err
		}
		v := driver.Vector{ID: hippo.ID(id), Text: uint64(text), Values: make([]float32, len(value)/4)}
		for i := range v.Values {
			v.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(value[4*i:]))
		}
		found[v.ID] = v
	}
	return rows.Err()
}

// PutVectors implements [driver.Vectors].
func (s *Store) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := driver.CheckVectors(model, vs); err != nil {
		return err
	}
	return s.vectorWrite(ctx, func(t *tx) error {
		if len(vs) == 0 {
			return nil
		}
		pk, err := t.model(model, len(vs[0].Values))
		if err != nil {
			return err
		}
		value := make([]byte, 0, 4*len(vs[0].Values))
		for _, v := range vs {
			value = value[:0]
			for _, f := range v.Values {
				value = binary.LittleEndian.AppendUint32(value, math.Float32bits(f))
			}
			err := t.w.exec(t.ctx, `INSERT INTO vector SELECT pk, ?, ?, ? FROM memory WHERE id = ?
				ON CONFLICT DO UPDATE SET text = excluded.text, value = excluded.value`, pk, int64(v.Text), value, v.ID[:])
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// vectorWrite runs fn in a transaction of this package's own kind.
func (s *Store) vectorWrite(ctx context.Context, fn func(*tx) error) error {
	return s.Write(ctx, driver.Lazy, func(t driver.Tx) error {
		return fn(t.(*tx)) //nolint:errcheck // the writer has no other
	})
}

// model returns the key of a model that has, or is about to get, vectors of this
// dimension.
func (t *tx) model(name string, dimension int) (pk int64, err error) {
	has := 0
	err = t.one(`SELECT pk, dimension FROM model WHERE name = ?`, []any{name}, &pk, &has)
	switch {
	case err != nil || has == dimension:
		return pk, err
	case has == 0:
		err = t.one(`INSERT INTO model (name, dimension) VALUES (?, ?) RETURNING pk`, []any{name, dimension}, &pk)
		return pk, err
	}
	used := false
	if err := t.one(`SELECT EXISTS (SELECT 1 FROM vector WHERE model = ?)`, []any{pk}, &used); err != nil {
		return 0, err
	}
	if used {
		return 0, driver.CheckDimension(name, has, dimension)
	}
	return pk, t.w.exec(t.ctx, "UPDATE model SET dimension = ? WHERE pk = ?", dimension, pk)
}

// one reads the first row of a query; without one, to is left as it is.
func (t *tx) one(query string, args []any, to ...any) error {
	rows, err := t.QueryContext(t.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	if rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// VectorModels implements [driver.Vectors].
func (s *Store) VectorModels(ctx context.Context) ([]driver.VectorModel, error) {
	list, err := readModels(ctx, s)
	return list, s.explain("read", err)
}

func readModels(ctx context.Context, q queryer) ([]driver.VectorModel, error) {
	rows, err := q.QueryContext(ctx, `SELECT name, dimension, n FROM model
		JOIN (SELECT model, count(*) AS n FROM vector GROUP BY model) ON model = pk ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	var list []driver.VectorModel
	for rows.Next() {
		var m driver.VectorModel
		if err := rows.Scan(&m.Name, &m.Dimension, &m.Count); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, rows.Err()
}

// DropVectors implements [driver.Vectors].
func (s *Store) DropVectors(ctx context.Context, model string) error {
	return s.vectorWrite(ctx, func(t *tx) error { return t.w.exec(t.ctx, "DELETE FROM model WHERE name = ?", model) })
}
