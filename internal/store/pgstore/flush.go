package pgstore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
)

// sorted returns the IDs of a map in order, so that transactions meet rows in one order.
func sorted[V any](m map[hippo.ID]V) []hippo.ID {
	return slices.SortedFunc(maps.Keys(m), hippo.ID.Compare)
}

// flush adds the statements that write the changes of a group.
func (g *group) flush(b *pgx.Batch) error {
	c := &g.kept
	if purged := sorted(c.purged); len(purged) > 0 {
		b.Queue("DELETE FROM hippo.vector WHERE tenant = $1 AND memory = ANY($2)", g.tenant, uuids(purged))
	}
	if err := c.flushRows(b, g); err != nil {
		return err
	}
	c.flushAccesses(b, g)
	c.flushRelations(b, g)
	c.flushVectors(b, g)
	return c.past.flush(b, g)
}

// flushRows writes the memories that were put, and tombstones of those that were purged.
func (c *changes) flushRows(b *pgx.Batch, g *group) error {
	var added, gone []hippo.ID
	var revisions []int64
	ids := slices.SortedFunc(maps.Keys(c.rows), func(a, b hippo.ID) int { return cmp.Compare(c.rows[a].revision, c.rows[b].revision) })
	for _, id := range ids {
		r := c.rows[id]
		if r.memory == nil {
			gone, revisions = append(gone, id), append(revisions, int64(r.revision))
			continue
		}
		if !g.known[id].there {
			added = append(added, id)
		}
		if err := g.flushMemory(b, r.memory); err != nil {
			return err
		}
	}
	if len(added) > 0 && g.stored.buried {
		b.Queue("DELETE FROM hippo.tombstone WHERE tenant = $1 AND id = ANY($2)", g.tenant, uuids(added))
	}
	if len(gone) > 0 {
		b.Queue("DELETE FROM hippo.memory WHERE tenant = $1 AND id = ANY($2)", g.tenant, uuids(gone))
		b.Queue(`INSERT INTO hippo.tombstone (tenant, id, revision) SELECT $1, id, revision FROM unnest($2::uuid[], $3::bigint[]) AS t (id, revision)
			ON CONFLICT (tenant, id) DO UPDATE SET revision = excluded.revision`, g.tenant, uuids(gone), revisions)
	}
	return nil
}

// flushMemory writes one memory, without its content where that is stored.
func (g *group) flushMemory(b *pgx.Batch, m *hippo.Memory) error {
	args, err := values(g.tenant, m)
	if err != nil {
		return err
	}
	old := g.known[m.ID]
	switch {
	case !old.there:
		b.Queue(insertMemory, append(args, m.Content)...)
	case old.whole && old.err == nil && old.Content == m.Content:
		b.Queue(updateAllElse, args...)
	default:
		b.Queue(updateMemory, append(args, m.Content)...)
	}
	return nil
}
