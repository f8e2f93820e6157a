package pgstore

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// vectors is the part of a [Store] that keeps embedding vectors. It implements [driver.Vectors].
type vectors struct {
	place  *place
	writer *writer
}

const selectVectors = `SELECT v.memory, v.text, v.value, o.dimension FROM hippo.model o JOIN hippo.vector v ON v.tenant = o.tenant AND v.model = o.number
	WHERE o.tenant = $1 AND o.name = $2 AND v.memory = ANY($3)`

// Vectors implements [driver.Vectors]. Cost: one round trip.
func (s *vectors) Vectors(ctx context.Context, model string, ids []hippo.ID) ([]driver.Vector, error) {
	found := make(map[hippo.ID]driver.Vector, len(ids))
	err := s.place.view(ctx, func(q querier) error {
		list, err := collect(ctx, q, scanVector, selectVectors, s.place.tenant, []byte(model), uuids(ids))
		for _, v := range list {
			found[v.ID] = v
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return driver.VectorsOf(ids, found), nil
}

func scanVector(row pgx.CollectableRow) (v driver.Vector, err error) {
	var text int64
	var value []byte
	var dimension int
	if err := row.Scan((*[16]byte)(&v.ID), &text, &value, &dimension); err != nil {
		return v, err
	}
	all := make([]float32, len(value)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(value[4*i:]))
	}
	v.Text, v.Values = uint64(text), all
	if dimension < len(all) {
		v.Values, v.More = all[:dimension:dimension], all[dimension:]
	}
	return v, nil
}

// bytesOf returns a vector as its column has it.
func bytesOf(v *driver.Vector) []byte {
	b := make([]byte, 0, 4*(len(v.Values)+len(v.More)))
	for _, list := range [][]float32{v.Values, v.More} {
		for _, f := range list {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
		}
	}
	return b
}

// VectorModels implements [driver.Vectors]. Cost: a pass over an index of the vectors.
func (s *vectors) VectorModels(ctx context.Context) (list []driver.VectorModel, err error) {
	err = s.place.view(ctx, func(q querier) (err error) {
		list, err = collect(ctx, q, func(row pgx.CollectableRow) (m driver.VectorModel, err error) {
			var name []byte
			err = row.Scan(&name, &m.Dimension, &m.Count)
			m.Name = string(name)
			return m, err
		}, `SELECT name, dimension, n FROM hippo.model o
			JOIN (SELECT model, count(*) AS n FROM hippo.vector WHERE tenant = $1 GROUP BY model) v ON v.model = o.number WHERE o.tenant = $1 ORDER BY name`, s.place.tenant)
		return err
	})
	return list, err
}

// PutVectors implements [driver.Vectors].
func (s *vectors) PutVectors(ctx context.Context, model string, vs []driver.Vector) error {
	if err := driver.CheckVectors(model, vs); err != nil {
		return err
	}
	return s.writer.write(ctx, driver.Lazy, func(t *tx) error { return t.putVectors(model, vs) })
}

// vectorKey names a vector.
type vectorKey struct {
	model  string
	memory hippo.ID
}

// model is a row of table model.
type model struct {
	number, dimension int
}

func (t *staging) putVectors(name string, vs []driver.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	ids := make([]hippo.ID, len(vs))
	for i := range vs {
		ids[i] = vs[i].ID
	}
	if err := t.probe(ids); err != nil {
		return err
	}
	if err := t.fits(name, len(vs[0].Values)); err != nil {
		return err
	}
	for _, v := range vs {
		if there, _ := t.exists(v.ID); there {
			v.Values, v.More = slices.Clone(v.Values), slices.Clone(v.More)
			t.vectors[vectorKey{name, v.ID}] = v
		}
	}
	return nil
}

// fits refuses a dimension other than that of the vectors of a model.
func (t *staging) fits(name string, dimension int) error {
	if err := t.readModels(); err != nil {
		return err
	}
	for k, v := range t.vectors {
		if k.model == name {
			return driver.CheckDimension(name, len(v.Values), dimension)
		}
	}
	m, ok := t.models[name]
	if !ok || m.dimension == dimension {
		return nil
	}
	used, err := read(t.group, pgx.RowTo[bool], "SELECT true FROM hippo.vector WHERE tenant = $1 AND model = $2 AND memory <> ALL($3) LIMIT 1", t.tenant, m.number, uuids(sorted(t.purged)))
	if err != nil || len(used) == 0 {
		return err
	}
	return driver.CheckDimension(name, m.dimension, dimension)
}

// readModels reads the models of the tenant, which are few.
func (g *group) readModels() error {
	if g.models != nil {
		return nil
	}
	type named struct {
		name string
		model
	}
	list, err := read(g, func(row pgx.CollectableRow) (m named, err error) {
		var name []byte
		err = row.Scan(&name, &m.number, &m.dimension)
		m.name = string(name)
		return m, err
	}, "SELECT name, number, dimension FROM hippo.model WHERE tenant = $1", g.tenant)
	if err != nil {
		return err
	}
	g.models = make(map[string]model, len(list))
	for _, m := range list {
		g.models[m.name] = m.model
	}
	return nil
}

const putModel = `INSERT INTO hippo.model (tenant, number, name, dimension) VALUES ($1, $2, $3, $4)
	ON CONFLICT (tenant, number) DO UPDATE SET dimension = excluded.dimension`

const putVectors = `INSERT INTO hippo.vector (tenant, memory, model, text, value)
	SELECT $1, memory, $2, text, value FROM unnest($3::uuid[], $4::bigint[], $5::bytea[]) AS t (memory, text, value)
	ON CONFLICT (tenant, memory, model) DO UPDATE SET text = excluded.text, value = excluded.value`

// flushVectors writes the vectors of each model.
func (c *changes) flushVectors(b *pgx.Batch, g *group) {
	byModel := make(map[string][]driver.Vector)
	for k, v := range c.vectors {
		byModel[k.model] = append(byModel[k.model], v)
	}
	next := 0
	for _, m := range g.models {
		next = max(next, m.number)
	}
	for name, vs := range byModel {
		m, ok := g.models[name]
		if !ok {
			next++
			m.number = next
		}
		if dimension := len(vs[0].Values); m.dimension != dimension {
			b.Queue(putModel, g.tenant, m.number, []byte(name), dimension)
		}
		slices.SortFunc(vs, func(a, b driver.Vector) int { return a.ID.Compare(b.ID) })
		ids, texts, data := make([]hippo.ID, len(vs)), make([]int64, len(vs)), make([][]byte, len(vs))
		for i := range vs {
			ids[i], texts[i], data[i] = vs[i].ID, int64(vs[i].Text), bytesOf(&vs[i])
		}
		b.Queue(putVectors, g.tenant, m.number, uuids(ids), texts, data)
	}
}
