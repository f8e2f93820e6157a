package pgstore

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// member is one that operations count: the memories that one changed in a project.
type member struct {
	operation          hippo.ID
	namespace, project string
}

// entry is a version of a memory, without what was kept of it if it is stored.
type entry struct {
	number int64
	member
	weight driver.Weight
	// added is the version of one that is not stored yet.
	added *hippo.Version
}

// versionKey names a version.
type versionKey struct {
	memory hippo.ID
	number int64
}

// pastChanges are the changes of the history that transactions made and that are not written yet. What a map holds is replaced,
// never changed.
type pastChanges struct {
	lists      map[hippo.ID][]entry // the versions of memories that changed, the oldest first
	operations map[hippo.ID]hippo.Operation
	gone       map[versionKey]bool // stored versions to remove
	uncounted  map[member]int      // by how much stored versions count fewer memories
	emptied    map[hippo.ID]bool   // operations that lost a version
}

func (p *pastChanges) clone() pastChanges {
	return pastChanges{clone(p.lists), clone(p.operations), clone(p.gone), clone(p.uncounted), clone(p.emptied)}
}

const selectEntries = `SELECT v.memory, v.number, v.operation, v.namespace, v.project, o.day, v.size, v.former IS NULL AND v.after IS NULL
	FROM hippo.version v JOIN hippo.operation o ON o.tenant = v.tenant AND o.id = v.operation WHERE v.tenant = $1 AND v.memory = ANY($2) ORDER BY v.number`

// recall reads the lists of the stored versions of some memories that are not known yet.
func (g *group) recall(ids []hippo.ID) error {
	missing := slices.DeleteFunc(slices.Clone(ids), func(id hippo.ID) bool { _, ok := g.entries[id]; return ok })
	if len(missing) == 0 || g.stored.versions == 0 {
		return nil
	}
	type found struct {
		memory hippo.ID
		entry
	}
	list, err := read(g, func(row pgx.CollectableRow) (e found, err error) {
		err = row.Scan((*[16]byte)(&e.memory), &e.number, (*[16]byte)(&e.operation), &e.namespace, &e.project, &e.weight.Day, &e.weight.Bytes, &e.weight.Unchanged)
		return e, err
	}, selectEntries, g.tenant, uuids(missing))
	if err != nil {
		return err
	}
	for _, id := range missing {
		g.entries[id] = nil
	}
	for _, e := range list {
		g.entries[e.memory] = append(g.entries[e.memory], e.entry)
	}
	return nil
}

// list returns the versions of a memory that was recalled.
func (p *pastChanges) list(g *group, id hippo.ID) []entry {
	if list, ok := p.lists[id]; ok {
		return list
	}
	return g.entries[id]
}

// Keep implements [driver.Tx].
func (t *tx) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	ids := make([]hippo.ID, len(vs))
	for i := range vs {
		ids[i] = vs[i].ID
	}
	if err := t.recall(ids); err != nil {
		return err
	}
	for i := range vs {
		v := vs[i].Clone()
		v.Operation = op
		t.head.versions++
		list := append(slices.Clone(t.past.list(t.group, v.ID)), entry{t.head.versions, member{op.ID, v.Namespace, v.Project}, driver.WeightOf(&v), &v})
		t.past.operations[op.ID] = op
		weights := make([]driver.Weight, len(list))
		for k := range list {
			weights[k] = list[k].weight
		}
		for _, k := range slices.Backward(driver.Surplus(weights, r)) {
			t.past.drop(v.ID, list[k])
			list = slices.Delete(list, k, k+1)
		}
		t.past.lists[v.ID] = list
	}
	return nil
}

// drop removes a version of a memory, except from its list.
func (p *pastChanges) drop(id hippo.ID, e entry) {
	p.emptied[e.operation] = true
	if e.added == nil {
		p.gone[versionKey{id, e.number}] = true
	}
}

// DropHistory implements [driver.Tx].
func (t *tx) DropHistory(ids ...hippo.ID) error {
	if err := t.recall(ids); err != nil {
		return err
	}
	for _, id := range ids {
		t.past.clear(t.group, id)
	}
	return nil
}

// clear removes the versions of a memory, and returns what counted them.
func (p *pastChanges) clear(g *group, id hippo.ID) map[member]bool {
	counted := make(map[member]bool)
	for _, e := range p.list(g, id) {
		p.drop(id, e)
		counted[e.member] = true
	}
	p.lists[id] = nil
	return counted
}

// purge removes the versions of a memory, which the others of their operations no longer count.
func (p *pastChanges) purge(g *group, id hippo.ID) {
	counted := p.clear(g, id)
	if len(counted) == 0 {
		return
	}
	for m := range counted {
		p.uncounted[m]++
	}
	for other, list := range p.lists {
		changed := slices.Clone(list)
		for i, e := range changed {
			if e.added != nil && counted[e.member] {
				v := e.added.Clone()
				v.Of--
				changed[i].added = &v
			}
		}
		p.lists[other] = changed
	}
}

// apply returns the stored versions that a query asks for, in their state after the changes, with those that were added: by memory, the last
// kept first.
func (p *pastChanges) apply(stored []kept, q *driver.VersionQuery) []kept {
	out := slices.DeleteFunc(stored, func(v kept) bool { return p.gone[versionKey{v.ID, v.number}] })
	for i := range out {
		v := &out[i]
		v.Of -= p.uncounted[member{v.Operation.ID, v.Namespace, v.Project}]
	}
	for id, list := range p.lists {
		if q.Memories != nil && !slices.Contains(q.Memories, id) {
			continue
		}
		for _, e := range list {
			if e.added != nil && (q.Operation.IsZero() || q.Operation == e.operation) {
				out = append(out, kept{Version: e.added.Clone(), number: e.number})
			}
		}
	}
	slices.SortFunc(out, func(a, b kept) int { return cmp.Or(a.ID.Compare(b.ID), cmp.Compare(b.number, a.number)) })
	return out
}

const insertOperation = `INSERT INTO hippo.operation (tenant, id, at, day, verb, source_kind, author, client, session, seq, uri, reason, undoes)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`

const insertVersion = `INSERT INTO hippo.version (tenant, memory, number, operation, namespace, project, siblings, size, after, former, relations)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

const dropEmptied = `DELETE FROM hippo.operation o WHERE o.tenant = $1 AND o.id = ANY($2)
	AND NOT EXISTS (SELECT FROM hippo.version v WHERE v.tenant = $1 AND v.operation = o.id)`

// flush writes the changes: stored versions first, as those that were added count what is left.
func (p *pastChanges) flush(b *pgx.Batch, g *group) error {
	p.flushGone(b, g)
	used := make(map[hippo.ID]bool)
	for _, id := range sorted(p.lists) {
		for _, e := range p.lists[id] {
			if e.added == nil {
				continue
			}
			if op := p.operations[e.operation]; !used[e.operation] {
				used[e.operation] = true
				b.Queue(insertOperation, g.tenant, uuid(op.ID), timestamp(op.At), op.Day, string(op.Verb), string(op.By.Kind), op.By.Author,
					op.By.Client, op.By.Session, op.By.Seq, op.By.URI, op.Reason, optional(op.Undoes))
			}
			if err := flushVersion(b, g, e); err != nil {
				return err
			}
		}
	}
	if len(p.emptied) > 0 {
		b.Queue(dropEmptied, g.tenant, uuids(sorted(p.emptied)))
	}
	return nil
}

// flushGone removes stored versions, and lets others count fewer memories.
func (p *pastChanges) flushGone(b *pgx.Batch, g *group) {
	var memories, operations []hippo.ID
	var numbers, by []int64
	var namespaces, projects []string
	for k := range p.gone {
		memories, numbers = append(memories, k.memory), append(numbers, k.number)
	}
	for m, n := range p.uncounted {
		operations, namespaces, projects, by = append(operations, m.operation), append(namespaces, m.namespace), append(projects, m.project), append(by, int64(n))
	}
	if len(memories) > 0 {
		b.Queue("DELETE FROM hippo.version v USING unnest($2::uuid[], $3::bigint[]) AS t (memory, number) WHERE v.tenant = $1 AND v.memory = t.memory AND v.number = t.number",
			g.tenant, uuids(memories), numbers)
	}
	if len(operations) > 0 {
		b.Queue(`UPDATE hippo.version v SET siblings = v.siblings - t.n FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[]) AS t (operation, namespace, project, n)
			WHERE v.tenant = $1 AND v.operation = t.operation AND v.namespace = t.namespace AND v.project = t.project`, g.tenant, uuids(operations), namespaces, projects, by)
	}
}

func flushVersion(b *pgx.Batch, g *group, e entry) error {
	v := e.added
	former, err := formats.EncodeFormer(v.Before)
	if err != nil {
		return err
	}
	relations, err := formats.EncodeRelationChanges(v.Relations)
	if err != nil {
		return err
	}
	var after []byte
	if v.After != (hippo.Hash{}) {
		after = v.After[:]
	}
	b.Queue(insertVersion, g.tenant, uuid(v.ID), e.number, uuid(e.operation), v.Namespace, v.Project, v.Of, e.weight.Bytes, after, textOrNull(former), textOrNull(relations))
	return nil
}

// textOrNull is NULL for nothing.
func textOrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return string(b)
}
