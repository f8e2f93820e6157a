package pgstore

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// numbersOf returns accesses as a column has them: day and count, the newest first, so that an update changes the beginning only;
// nil for none.
func numbersOf(list []hippo.Access) []int64 {
	var out []int64
	for _, a := range slices.Backward(list) {
		out = append(out, int64(a.Day), int64(a.Count))
	}
	return out
}

// accessesOf is the inverse of numbersOf.
func accessesOf(numbers []int64) ([]hippo.Access, error) {
	if len(numbers)%2 != 0 {
		return nil, fmt.Errorf("accesses: %d numbers are no pairs", len(numbers))
	}
	var out []hippo.Access
	for i := len(numbers) - 2; i >= 0; i -= 2 {
		out = append(out, hippo.Access{Day: hippo.Day(numbers[i]), Count: int(numbers[i+1])})
	}
	return out, nil
}

// accesses is a row of table access.
type accesses struct {
	memory hippo.ID
	list   []hippo.Access
	err    error // why they cannot be read
}

func scanAccesses(row pgx.CollectableRow) (a accesses, err error) {
	var days []int64
	err = row.Scan((*[16]byte)(&a.memory), &days)
	a.list, a.err = accessesOf(days)
	return a, err
}

const selectUses = "SELECT memory, days FROM hippo.access WHERE tenant = $1 AND memory > $2 AND days[1] >= $3 ORDER BY memory LIMIT $4"

// Uses implements [driver.Backend]: by memory. Cost: a pass over the accesses of the tenant, and a round trip for 1,000 memories.
func (s *Store) Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	return func(yield func(driver.Use, error) bool) {
		var last hippo.ID
		for full := true; full; {
			var page []accesses
			err := s.view(ctx, func(q querier) (err error) {
				page, err = collect(ctx, q, scanAccesses, selectUses, s.tenant, uuid(last), since, pageSize)
				return err
			})
			if err != nil {
				yield(driver.Use{}, err)
				return
			}
			for _, a := range page {
				for _, u := range driver.UsesOf(&hippo.Memory{ID: a.memory, Usage: hippo.Usage{Accesses: a.list}}, since) {
					if !yield(u, nil) {
						return
					}
				}
				last = a.memory
			}
			full = len(page) == pageSize
		}
	}
}

// Touch implements [driver.Tx]. It reads and writes accesses only, as each search counts some.
func (t *tx) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	ids := driver.Counted(counts)
	if err := t.fetchAccesses(ids); err != nil {
		return err
	}
	for _, id := range ids {
		if r, ok := t.rows[id]; ok {
			if r.memory != nil {
				r.memory = r.memory.Clone()
				r.memory.Touch(day, counts[id])
				t.rows[id] = r
			}
			continue
		}
		list, ok := t.accesses[id]
		if !ok && !t.known[id].counted {
			continue // it is not there, or cannot be read
		}
		if !ok {
			list = t.known[id].Accesses
		}
		m := hippo.Memory{Usage: hippo.Usage{Accesses: slices.Clone(list)}}
		m.Touch(day, counts[id])
		t.accesses[id] = m.Accesses
	}
	return nil
}

const selectAccesses = "SELECT id, days, forgotten_at IS NOT NULL, octet_length(content) FROM hippo.memory m" + withAccesses + "WHERE m.tenant = $1 AND id = ANY($2)"

// fetchAccesses reads those of some memories that are not known yet.
func (g *group) fetchAccesses(ids []hippo.ID) error {
	missing := g.missing(ids, func(k known) bool { return k.counted || k.whole || !k.there })
	if len(missing) == 0 {
		return nil
	}
	found, err := read(g, func(row pgx.CollectableRow) (k known, err error) {
		var days []int64
		k.Memory, k.there = &hippo.Memory{}, true
		if err := row.Scan((*[16]byte)(&k.ID), &days, &k.forgotten, &k.size); err != nil {
			return k, err
		}
		k.Accesses, k.err = accessesOf(days)
		k.counted = k.err == nil
		return k, nil
	}, selectAccesses, g.tenant, uuids(missing))
	if err != nil {
		return err
	}
	for _, id := range missing {
		g.known[id] = known{}
	}
	for _, k := range found {
		g.known[k.ID] = k
	}
	return nil
}

// The accesses of several memories share one array, and each memory has a slice of it: SQL arrays of arrays need equal lengths.
const (
	unnestAccesses = "(SELECT memory, ($5::bigint[])[first:last] AS days FROM unnest($2::uuid[], $3::int[], $4::int[]) AS r (memory, first, last)) t"
	insertAccesses = "INSERT INTO hippo.access (tenant, memory, days) SELECT $1, memory, days FROM " + unnestAccesses +
		" ON CONFLICT (tenant, memory) DO UPDATE SET days = excluded.days"
	// updateAccesses changes existing rows. For these, insertAccesses would write half as much again.
	updateAccesses = "UPDATE hippo.access a SET days = t.days FROM " + unnestAccesses + " WHERE a.tenant = $1 AND a.memory = t.memory"
)

// flushAccesses writes the accesses that changed.
func (c *changes) flushAccesses(b *pgx.Batch, g *group) {
	now := clone(c.accesses)
	for id, r := range c.rows {
		now[id] = nil
		if r.memory != nil {
			now[id] = r.memory.Accesses
		}
	}
	var gone, added, changed accessRows
	for _, id := range sorted(now) {
		switch k, list := g.known[id], now[id]; {
		case k.counted && slices.Equal(k.Accesses, list):
		case len(list) == 0:
			if k.there {
				gone.add(id, nil)
			}
		case k.counted && len(k.Accesses) > 0:
			changed.add(id, list)
		default:
			added.add(id, list)
		}
	}
	if len(gone.ids) > 0 {
		b.Queue("DELETE FROM hippo.access WHERE tenant = $1 AND memory = ANY($2)", g.tenant, gone.ids)
	}
	if len(added.ids) > 0 {
		b.Queue(insertAccesses, g.tenant, added.ids, added.first, added.last, added.days)
	}
	if len(changed.ids) > 0 {
		b.Queue(updateAccesses, g.tenant, changed.ids, changed.first, changed.last, changed.days)
	}
}

// accessRows are rows of table access, as columns: row i has the days from first to last, counted from 1.
type accessRows struct {
	ids         []pgtype.UUID
	first, last []int32
	days        []int64
}

func (r *accessRows) add(id hippo.ID, list []hippo.Access) {
	r.ids, r.first = append(r.ids, uuid(id)), append(r.first, int32(len(r.days)+1))
	r.days = append(r.days, numbersOf(list)...)
	r.last = append(r.last, int32(len(r.days)))
}
