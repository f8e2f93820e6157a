package sharedstore

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Table memory_graph has one edge from a text to another, by their hashes. Edges of the symmetric kinds are
// there twice, once in each direction.

// defaultKind is that of an edge that has none.
const defaultKind = "related"

func isSymmetric(kind string) bool { return kind == defaultKind || kind == "contradicts" }

// edges shows the relations of a memory whose row came back, or is new.
func (p *projection) edges(id hippo.ID) error {
	if !p.layout.graph {
		return nil
	}
	list, err := sqlitestore.RelationsOf(p.Tx, id)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := p.edge(r); err != nil {
			return err
		}
	}
	return nil
}

// edge shows a relation between two memories whose rows are there by the last of its periods; it removes the edge if there is none.
// What is learned from searches is not shown: each program learns that for itself.
func (p *projection) edge(r hippo.Relation) error {
	if !p.layout.graph || r.Kind == hippo.CoRecalled {
		return nil
	}
	periods, err := p.RelationsFrom(r.From, r.To, r.Kind)
	if err != nil {
		return err
	}
	if r.Weight = 0; len(periods) > 0 {
		r = periods[len(periods)-1]
	}
	from, err := p.shownRow(r.From)
	if err != nil || from == "" {
		return err
	}
	to, err := p.shownRow(r.To)
	if err != nil || to == "" || from == to {
		return err
	}
	if err := putEdge(p.tx, from, to, r); err != nil || !isSymmetric(r.Kind) {
		return err
	}
	return putEdge(p.tx, to, from, r)
}

// shownRow returns the hash of the row that shows a memory, and not another one of the same text; empty if
// there is none that is not deleted.
func (p *projection) shownRow(id hippo.ID) (string, error) {
	hash, err := p.linkOf(id)
	if err != nil || hash == "" {
		return "", err
	}
	members, err := p.members(hash)
	if err != nil || len(members) == 0 || members[0].ID != id || members[0].Forgotten() {
		return "", err
	}
	return hash, nil
}

// putEdge adds, replaces or removes an edge.
func putEdge(t *tx, from, to string, r hippo.Relation) error {
	if r.Weight == 0 {
		if err := t.Exec("DELETE FROM memory_graph WHERE source_hash = ? AND target_hash = ? AND relationship_type = ?", from, to, r.Kind); err != nil {
			return err
		}
		return t.Exec("DELETE FROM shared_edge WHERE source = ? AND target = ? AND kind = ?", from, to, r.Kind)
	}
	kinds, err := json.Marshal([]string{r.Kind})
	if err != nil {
		return err
	}
	at := r.LastReinforced
	if at.IsZero() {
		at = t.group.store.now()
	}
	if err := t.Exec(`INSERT INTO memory_graph (source_hash, target_hash, similarity, connection_types, metadata, created_at, relationship_type)
		VALUES (?, ?, ?, ?, '{}', ?, ?) ON CONFLICT DO UPDATE SET similarity = excluded.similarity,
		connection_types = excluded.connection_types, relationship_type = excluded.relationship_type`,
		from, to, r.Weight, string(kinds), seconds(at), r.Kind); err != nil {
		return err
	}
	return t.Exec("INSERT OR REPLACE INTO shared_edge VALUES (?, ?, ?, ?)", from, to, r.Kind, r.Weight)
}

// graphRow is a row of memory_graph, with the kind that it had when it was last seen.
type graphRow struct {
	source, target     string
	kind, weight, time any
	former             any
}

// changedEdges finds the edges that are not as they were last seen, removedEdges those that are no longer there.
const (
	changedEdges = `SELECT g.source_hash, g.target_hash, g.relationship_type, g.similarity, g.created_at, e.kind FROM memory_graph g
		LEFT JOIN shared_edge e ON e.source = g.source_hash AND e.target = g.target_hash
		WHERE e.source IS NULL OR e.kind IS NOT g.relationship_type OR e.weight IS NOT g.similarity`
	removedEdges = `SELECT source, target, kind FROM shared_edge e
		WHERE NOT EXISTS (SELECT 1 FROM memory_graph g WHERE g.source_hash = e.source AND g.target_hash = e.target)`
)

// newEdges applies the edges that other programs added or changed.
func (c *reconciler) newEdges(ctx context.Context) error {
	var list []graphRow
	for rows, err := range sqlitex.Rows(ctx, c, changedEdges) {
		var e graphRow
		if err == nil {
			err = rows.Scan(&e.source, &e.target, &e.kind, &e.weight, &e.time, &e.former)
		}
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	for i := range list {
		e := &list[i]
		if err := c.applyEdge(e); err != nil {
			return err
		}
		if err := c.Exec("INSERT OR REPLACE INTO shared_edge VALUES (?, ?, ?, ?)", e.source, e.target, e.kind, e.weight); err != nil {
			return err
		}
	}
	return nil
}

func (c *reconciler) applyEdge(e *graphRow) error {
	from, to, err := c.ends(e.source, e.target)
	if err != nil || from.IsZero() || to.IsZero() || from == to {
		return err
	}
	r := hippo.Relation{From: from, To: to, Kind: kindOf(e.kind), Weight: 1}
	if f, ok := e.weight.(float64); ok && f > 0 && f < 1 {
		r.Weight = f
	}
	r.LastReinforced, _ = timeOf(e.time)
	if e.former != nil && kindOf(e.former) != r.Kind {
		if err := c.unrelate(from, to, kindOf(e.former)); err != nil {
			return err
		}
	}
	if r.Validate() != nil {
		return nil
	}
	if isSymmetric(r.Kind) {
		list, err := sqlitestore.RelationsOf(c.Tx, to)
		if err != nil || slices.ContainsFunc(list, func(o hippo.Relation) bool { return o.From == to && o.To == from && o.Kind == r.Kind }) {
			return err // it is there in the other direction
		}
	}
	periods, err := c.RelationsFrom(from, to, r.Kind)
	if err != nil {
		return err
	}
	if len(periods) > 0 {
		r.ValidFrom = periods[len(periods)-1].ValidFrom
	}
	return c.Tx.Relate(r, func(old, r hippo.Relation) hippo.Relation {
		old.Weight, old.LastReinforced = r.Weight, r.LastReinforced
		return old
	})
}

// unrelate removes all periods of a relation.
func (c *reconciler) unrelate(from, to hippo.ID, kind string) error {
	periods, err := c.RelationsFrom(from, to, kind)
	if err != nil {
		return err
	}
	for _, r := range periods {
		if err := c.Tx.Relate(r, func(_, _ hippo.Relation) hippo.Relation { return hippo.Relation{} }); err != nil {
			return err
		}
	}
	return nil
}

// kindOf returns the kind of an edge, as long as a kind of ours may be.
func kindOf(v any) string {
	s, ok := textOf(v)
	if !ok || s == "" {
		return defaultKind
	}
	return formats.Shorten(s, hippo.MaxKind)
}

// ends returns the memories that two rows show; zero for what is no row, such as an entity.
func (c *reconciler) ends(source, target string) (from, to hippo.ID, err error) {
	for _, end := range []struct {
		hash string
		id   *hippo.ID
	}{{source, &from}, {target, &to}} {
		members, err := c.members(end.hash)
		if err != nil {
			return from, to, err
		}
		if len(members) > 0 {
			*end.id = members[0].ID
		}
	}
	return from, to, nil
}

// lostEdges removes the relations whose edge another program removed. With a deleted row go its edges; the
// relations of a forgotten memory stay.
func (c *reconciler) lostEdges(ctx context.Context) error {
	var list []graphRow
	for rows, err := range sqlitex.Rows(ctx, c, removedEdges) {
		var e graphRow
		if err == nil {
			err = rows.Scan(&e.source, &e.target, &e.kind)
		}
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	for i := range list {
		if err := c.loseEdge(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *reconciler) loseEdge(e *graphRow) error {
	from, to, err := c.ends(e.source, e.target)
	if err != nil {
		return err
	}
	alive := 0
	if _, err := sqlitex.First(context.Background(), c, "SELECT count(*) FROM memories WHERE content_hash IN (?, ?) AND deleted_at IS NULL", []any{e.source, e.target}, &alive); err != nil {
		return err
	}
	if alive == 2 && !from.IsZero() && !to.IsZero() {
		kind := kindOf(e.kind)
		if err := c.unrelate(from, to, kind); err != nil {
			return err
		}
		if isSymmetric(kind) {
			if err := c.unrelate(to, from, kind); err != nil {
				return err
			}
		}
	}
	return c.Exec("DELETE FROM shared_edge WHERE source = ? AND target = ?", e.source, e.target)
}
