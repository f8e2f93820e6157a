package sharedstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// differing finds the rows that are new or were changed since they were last seen. A column that holds only
// counters is no change, and mcp-memory-service rewrites one with every search. The columns after the first say whether
// the row is new, whether it was changed, and whether it has another successor than it had.
func (l *layout) differing() string {
	changed, moved := "(r.hash IS NULL OR r.updated_at IS NOT m.updated_at OR r.deleted_at IS NOT m.deleted_at)", "0"
	if l.superseded {
		moved = "ifnull(m." + supersededColumn + ", '') <> ifnull(r.superseded_by, '')"
	}
	return "SELECT m.id, r.hash IS NULL, " + changed + ", " + moved +
		" FROM memories m LEFT JOIN shared_row r INDEXED BY shared_row_seen ON r.row = m.id AND r.hash = m.content_hash WHERE (" + changed + " OR " + moved + ")"
}

// difference is what a row differs in from what it was when it was last seen.
type difference struct{ changed, moved bool }

// differences are rows that differ, and those that are new: the latter were never seen under their hash and id together.
type differences struct {
	known, fresh []int64
	// of are those of all but new rows without a successor.
	of map[int64]difference
}

// findDifferences finds the rows that differ; of those with some ids, unless the list is nil.
func findDifferences(ctx context.Context, q sqlitex.Queryer, l *layout, of []int64) (list differences, err error) {
	list.of = make(map[int64]difference)
	among, args, err := inList("m.id", of)
	if err != nil {
		return list, err
	}
	for rows, err := range sqlitex.Rows(ctx, q, l.differing()+" AND "+among, args...) {
		var id int64
		var isNew bool
		var d difference
		if err == nil {
			err = rows.Scan(&id, &isNew, &d.changed, &d.moved)
		}
		if err != nil {
			return list, err
		}
		if isNew {
			list.fresh = append(list.fresh, id)
		} else {
			list.known = append(list.known, id)
		}
		if !isNew || d.moved {
			list.of[id] = d
		}
	}
	return list, nil
}

// vanished finds the rows that are no longer there.
const vanished = "SELECT hash, row, created_at FROM shared_row r WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.content_hash = r.hash)"

// rowsAtOnce bounds the rows in RAM.
const rowsAtOnce = 500

// gone is a row that is no longer there.
type gone struct {
	hash    string
	row     int64
	created any
}

// reconciler applies what other programs did to the rows.
type reconciler struct {
	*tx
	layout layout
	now    time.Time
	gone   map[int64]gone // by row
	differences
	// successors are those of rows that have another one than before, which may come later.
	successors []successor
	// forgotten are the memories that were forgotten, as they were before that.
	forgotten map[hippo.ID]*hippo.Memory
	// returned are the hashes of rows whose memories were forgotten and are not any more.
	returned []string
}

// run applies those of the rows and edges that were found which still differ.
func (c *reconciler) run(ctx context.Context, f *found) (err error) {
	if c.differences, err = findDifferences(ctx, c, &c.layout, append([]int64{}, slices.Concat(f.known, f.fresh)...)); err != nil {
		return err
	}
	if c.gone, err = findGone(ctx, c, append([]string{}, f.gone...)); err != nil {
		return err
	}
	edited, fresh := editedOf(c.gone, c.differences)
	if err := applyAll(ctx, c, append(c.known, edited...)); err != nil {
		return err
	}
	if err := addRows(ctx, c, fresh); err != nil {
		return err
	}
	for _, g := range c.gone {
		if err := c.lose(g); err != nil {
			return err
		}
	}
	if err := applySuccessors(c); err != nil {
		return err
	}
	if err := giveBack(c); err != nil || !f.edges {
		return err
	}
	return errors.Join(c.newEdges(ctx), c.lostEdges(ctx))
}

// applySuccessors applies the successors that were found.
func applySuccessors(c *reconciler) error {
	if err := findReturned(c); err != nil {
		return err
	}
	for _, s := range c.successors {
		if err := c.supersede(s); err != nil {
			return err
		}
	}
	return nil
}

// editedOf separates new rows with the id of one that is gone: it may be that one with another text.
func editedOf(lost map[int64]gone, d differences) (edited, others []int64) {
	for _, id := range d.fresh {
		if _, ok := lost[id]; !ok {
			others = append(others, id)
			continue
		}
		edited = append(edited, id)
		d.of[id] = difference{changed: true, moved: d.of[id].moved}
	}
	return edited, others
}

// applyAll applies rows that were seen before.
func applyAll(ctx context.Context, c *reconciler, ids []int64) error {
	for part := range slices.Chunk(ids, rowsAtOnce) {
		rows, err := rowsOf(ctx, c, part, "true")
		if err != nil {
			return err
		}
		for i := range rows {
			if err := c.apply(&rows[i], c.of[rows[i].id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// findGone finds the rows that are no longer there, by their ids; of those with some hashes, unless the list is nil.
func findGone(ctx context.Context, q sqlitex.Queryer, of []string) (map[int64]gone, error) {
	among, args, err := inList("hash", of)
	if err != nil {
		return nil, err
	}
	lost := make(map[int64]gone)
	for rows, err := range sqlitex.Rows(ctx, q, vanished+" AND "+among, args...) {
		var g gone
		if err == nil {
			err = rows.Scan(&g.hash, &g.row, &g.created)
		}
		if err != nil {
			return nil, err
		}
		lost[g.row] = g
	}
	return lost, nil
}

// lose forgets the memories of a row that was purged. They stay linked: if the text is stored again they
// come back with all that only this program knows of them.
func (c *reconciler) lose(g gone) error {
	if err := c.forget(g.hash, c.now); err != nil {
		return err
	}
	return c.Exec("DELETE FROM shared_row WHERE hash = ?", g.hash)
}

func (c *reconciler) forget(hash string, at time.Time) error {
	members, err := c.members(hash)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Forgotten() {
			continue
		}
		if c.forgotten == nil {
			c.forgotten = make(map[hippo.ID]*hippo.Memory)
		}
		c.forgotten[m.ID] = m
		m = m.Clone()
		m.ForgottenAt = at
		if err := c.Tx.Put(m); err != nil {
			return err
		}
	}
	return nil
}

// apply applies a row that was changed.
func (c *reconciler) apply(r *row, d difference) error {
	hash := r.key()
	if d.moved {
		by, _ := textOf(r.superseded)
		c.successors = append(c.successors, successor{hash, by})
	}
	if !d.changed {
		return nil
	}
	members, err := c.members(hash)
	if err != nil {
		return err
	}
	if g, ok := c.gone[r.id]; ok && len(members) == 0 && g.created == r.created { // the text was edited in place
		if err := c.Exec("UPDATE shared_memory SET hash = ? WHERE hash = ?", hash, g.hash); err != nil {
			return err
		}
		if err := c.Exec("DELETE FROM shared_row WHERE hash = ?", g.hash); err != nil {
			return err
		}
		delete(c.gone, r.id)
		if members, err = c.members(hash); err != nil {
			return err
		}
	}
	m, bad := r.memory()
	switch {
	case bad != nil: // it is listed among the problems
	case m.Forgotten():
		err = c.forget(hash, m.ForgottenAt)
	case len(members) == 0:
		err = c.add(hash, m)
	default:
		if _, broken := r.object(); broken != nil { // what it says now cannot be read: it takes nothing away
			m.Metadata = members[0].Metadata
		}
		if members[0].Forgotten() {
			c.returned = append(c.returned, hash)
		}
		err = c.change(members[0], m)
	}
	if err != nil {
		return err
	}
	return c.seen(hash)
}

// add adds the memory of a row.
func (c *reconciler) add(hash string, m *hippo.Memory) (err error) {
	if m.ID, err = freeID(c, formats.ImportID(client, hash), hash); err != nil {
		return err
	}
	follow(nil, m)
	takeSurprise(nil, m)
	if err := c.Tx.Put(m); err != nil {
		return err
	}
	return c.link(m.ID, hash)
}

// change applies what a row shows to its memory: what another program changed, and not what it cannot hold.
func (c *reconciler) change(old, now *hippo.Memory) error {
	m := old.Clone()
	if !slices.Equal(splitTags(joinTags(m.Tags)), now.Tags) {
		m.Tags = now.Tags
		m.Version++
	}
	if m.Type != now.Type {
		m.Type = now.Type
		m.Version++
	}
	if plainHash(m.Content) != plainHash(now.Content) {
		m.Content, m.ContentHash = now.Content, now.ContentHash
		m.Version++
	}
	if m.Metadata = now.Metadata; byOrigin(m) != 0 {
		m.Metadata = hideSurprise(m.Metadata)
	}
	for _, key := range counters() {
		if v, ok := old.Metadata[key]; ok {
			formats.SetMeta(m, key, v)
		}
	}
	if follow(old.Metadata, m) {
		m.Version++
	}
	takeSurprise(old.Metadata, m)
	m.ForgottenAt = time.Time{}
	delete(m.Metadata, driver.LinksKey)
	if now.UpdatedAt.After(m.UpdatedAt) {
		m.UpdatedAt = now.UpdatedAt
	}
	return c.Tx.Put(m)
}
