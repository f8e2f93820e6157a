package pgstore

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// relations is the part of a [Store] that keeps relations. It implements [driver.Relations].
type relations struct {
	place  *place
	writer *writer
}

// relationColumns are in the order of scanRelation.
const relationColumns = "r.source, r.target, r.kind, r.valid_from, r.valid_until, r.reinforced, r.weight"

func scanRelation(row pgx.CollectableRow) (r hippo.Relation, err error) {
	var times [3]pgtype.Timestamptz
	err = row.Scan((*[16]byte)(&r.From), (*[16]byte)(&r.To), &r.Kind, &times[0], &times[1], &times[2], &r.Weight)
	r.ValidFrom, r.ValidUntil, r.LastReinforced = timeOf(times[0]), timeOf(times[1]), timeOf(times[2])
	return r, err
}

// Parts of selectRelations: that a scope sees a memory, that a relation holds at a time, if one is given, and the limit.
const (
	visible   = "EXISTS (SELECT FROM hippo.memory m WHERE m.tenant = $1 AND m.forgotten_at IS NULL AND m.namespace = $4 AND ($5::text[] IS NULL OR m.project = ANY($5)) AND m.id = "
	holds     = "($6::timestamptz IS NULL OR r.valid_from <= $6 AND r.valid_until > $6)"
	strongest = " ORDER BY r.weight DESC, r.reinforced DESC, r.source, r.target, r.kind, r.valid_from LIMIT $3"
)

// selectRelations reads the strongest relations of each of some memories: of those that it is the source of and those that it is the
// target of, which are walked in the order of their strength, up to the limit.
const selectRelations = "SELECT " + relationColumns + ` FROM unnest($2::uuid[]) AS asked (id) CROSS JOIN LATERAL (
	SELECT * FROM (
		(SELECT * FROM hippo.relation r WHERE r.tenant = $1 AND r.source = asked.id AND ` + holds + " AND " + visible + "r.target)" + strongest + `)
		UNION ALL
		(SELECT * FROM hippo.relation r WHERE r.tenant = $1 AND r.target = asked.id AND ` + holds + " AND " + visible + "r.source)" + strongest + `)
	) r` + strongest + `
) r WHERE ` + visible + "asked.id)"

// Relations implements [driver.Relations]. Cost: one round trip.
func (s *relations) Relations(ctx context.Context, q driver.RelationQuery) (found []hippo.Relation, err error) {
	if q.Limit <= 0 || len(q.IDs) == 0 {
		return nil, ctx.Err()
	}
	err = s.place.view(ctx, func(on querier) (err error) {
		found, err = collect(ctx, on, scanRelation, selectRelations, s.place.tenant, uuids(q.IDs), q.Limit, q.Scope.Namespace, q.Scope.Projects, timestamp(q.At))
		return err
	})
	slices.SortFunc(found, compare)
	return slices.CompactFunc(found, func(a, b hippo.Relation) bool { return compare(a, b) == 0 }), err
}

func compare(a, b hippo.Relation) int { return a.Compare(&b) }

// AllRelations implements [driver.Relations]. It holds all of them in RAM, some 130 bytes each, so that no connection is held while
// the loop runs.
func (s *relations) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		var all []hippo.Relation
		err := s.place.view(ctx, func(q querier) (err error) {
			all, err = collect(ctx, q, scanRelation, "SELECT "+relationColumns+" FROM hippo.relation r WHERE tenant = $1", s.place.tenant)
			return err
		})
		slices.SortFunc(all, compare)
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

// Relate implements [driver.Relations].
func (s *relations) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return s.writer.write(ctx, d, func(t *tx) error {
		if err := t.fetchRelations(rs); err != nil {
			return err
		}
		for _, r := range rs {
			if err := t.Relate(r, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

// Relate implements [driver.Tx].
func (t *tx) Relate(r hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	if err := t.fetchRelations([]hippo.Relation{r}); err != nil {
		return err
	}
	from, _ := t.exists(r.From)
	to, _ := t.exists(r.To)
	if !from || !to {
		return nil
	}
	k := driver.KeyOf(&r)
	k.Begin = k.Begin.Truncate(time.Microsecond) // the precision of the database
	old := t.relation(k)
	next := driver.WithKey(fn(driver.WithKey(old, r), r), r)
	t.relate(k, old, next)
	return nil
}

// relation returns a relation as this transaction sees it, of Weight 0 if there is none.
func (t *staging) relation(k driver.RelationKey) hippo.Relation {
	if r, ok := t.related[k]; ok {
		return r
	}
	return t.edges[k]
}

func (t *staging) relate(k driver.RelationKey, old, next hippo.Relation) {
	if old.Weight == 0 && next.Weight == 0 {
		return
	}
	if old.Weight == 0 {
		t.head.Relations++
	} else if next.Weight == 0 {
		t.head.Relations--
	}
	t.related[k] = next
}

// unrelate removes all relations of a memory, which were walked.
func (t *staging) unrelate(id hippo.ID) {
	for _, from := range []map[driver.RelationKey]hippo.Relation{t.edges, t.related} {
		for k := range from {
			if k.From == id || k.To == id {
				t.relate(k, t.relation(k), hippo.Relation{})
			}
		}
	}
}

// RelationsFrom implements [driver.Tx].
func (t *tx) RelationsFrom(id, to hippo.ID, kind string) ([]hippo.Relation, error) {
	stored, err := read(t.group, scanRelation, "SELECT "+relationColumns+` FROM hippo.relation r WHERE r.tenant = $1
		AND ($2::uuid IS NULL OR r.source = $2 AND r.kind = $4) AND ($3::uuid IS NULL OR r.target = $3)`, t.tenant, optional(id), optional(to), kind)
	if err != nil {
		return nil, err
	}
	var out []hippo.Relation
	for _, r := range stored {
		if _, ok := t.related[driver.KeyOf(&r)]; !ok {
			out = append(out, r)
		}
	}
	for k, r := range t.related {
		if r.Weight > 0 && (id.IsZero() || k.From == id && k.Kind == kind && (to.IsZero() || k.To == to)) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, compare)
	return out, nil
}

const selectPeriods = "SELECT " + relationColumns + ` FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS k (source, target, kind)
	JOIN hippo.relation r ON r.tenant = $1 AND r.source = k.source AND r.target = k.target AND r.kind = k.kind`

// fetchRelations reads the periods of some relations that are not known yet, and which of their ends are there.
func (g *group) fetchRelations(rs []hippo.Relation) error {
	var ends, from, to []hippo.ID
	var kinds []string
	for i := range rs {
		ends = append(ends, rs[i].From, rs[i].To)
		if k := driver.EndsOf(&rs[i]); !g.walked[k] {
			g.walked[k] = true
			from, to, kinds = append(from, k.From), append(to, k.To), append(kinds, k.Kind)
		}
	}
	if err := g.probe(ends); err != nil || len(kinds) == 0 {
		return err
	}
	return g.keepEdges(read(g, scanRelation, selectPeriods, g.tenant, uuids(from), uuids(to), kinds))
}

func (g *group) keepEdges(list []hippo.Relation, err error) error {
	for _, r := range list {
		g.edges[driver.KeyOf(&r)] = r
	}
	return err
}

// walk reads all relations of some memories.
func (g *group) walk(ids []hippo.ID) error {
	if g.stored.Relations == 0 || len(ids) == 0 {
		return nil
	}
	return g.keepEdges(read(g, scanRelation, "SELECT "+relationColumns+" FROM hippo.relation r WHERE r.tenant = $1 AND r.source = ANY($2) UNION ALL SELECT "+
		relationColumns+" FROM hippo.relation r WHERE r.tenant = $1 AND r.target = ANY($2)", g.tenant, uuids(ids)))
}

const putRelations = `INSERT INTO hippo.relation (tenant, source, target, kind, valid_from, valid_until, reinforced, weight)
	SELECT $1, t.* FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[], $8::double precision[]) t
	ON CONFLICT (tenant, source, target, kind, valid_from) DO UPDATE SET (valid_until, reinforced, weight) = (excluded.valid_until, excluded.reinforced, excluded.weight)`

const dropRelations = `DELETE FROM hippo.relation r USING unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[]) AS t (source, target, kind, valid_from)
	WHERE r.tenant = $1 AND r.source = t.source AND r.target = t.target AND r.kind = t.kind AND r.valid_from = t.valid_from`

// relationRows are relations as columns.
type relationRows struct {
	from, to           []hippo.ID
	kinds              []string
	begin, end, recent []pgtype.Timestamptz
	weights            []float64
}

func (l *relationRows) add(k driver.RelationKey, r hippo.Relation) {
	l.from, l.to, l.kinds = append(l.from, k.From), append(l.to, k.To), append(l.kinds, k.Kind)
	l.begin = append(l.begin, boundary(k.Begin, pgtype.NegativeInfinity))
	l.end = append(l.end, boundary(r.ValidUntil, pgtype.Infinity))
	l.recent = append(l.recent, boundary(r.LastReinforced, pgtype.NegativeInfinity))
	l.weights = append(l.weights, r.Weight)
}

// flushRelations writes the relations that changed.
func (c *changes) flushRelations(b *pgx.Batch, g *group) {
	var put, gone relationRows
	keys := make([]driver.RelationKey, 0, len(c.related))
	for k, r := range c.related {
		if r != g.edges[k] {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, compareKeys)
	for _, k := range keys {
		if r := c.related[k]; r.Weight > 0 {
			put.add(k, r)
		} else if _, there := g.edges[k]; there {
			gone.add(k, r)
		}
	}
	if len(gone.kinds) > 0 {
		b.Queue(dropRelations, g.tenant, uuids(gone.from), uuids(gone.to), gone.kinds, gone.begin)
	}
	if len(put.kinds) > 0 {
		b.Queue(putRelations, g.tenant, uuids(put.from), uuids(put.to), put.kinds, put.begin, put.end, put.recent, put.weights)
	}
}

func compareKeys(a, b driver.RelationKey) int {
	return compare(hippo.Relation{From: a.From, To: a.To, Kind: a.Kind, ValidFrom: a.Begin}, hippo.Relation{From: b.From, To: b.To, Kind: b.Kind, ValidFrom: b.Begin})
}
