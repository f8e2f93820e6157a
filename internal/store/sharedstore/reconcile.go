package sharedstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
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
		" FROM memories m LEFT JOIN shared_row r INDEXED BY shared_row_seen ON r.row = m.id AND r.hash = m.content_hash WHERE " + changed + " OR " + moved
}

// difference is what a row differs in from what it was when it was last seen.
type difference struct{ changed, moved bool }

// findDifferences returns the rows that differ, and those that are new: the latter were never seen under their hash and
// id together.
func findDifferences(ctx context.Context, c *reconciler) (known, fresh []int64, err error) {
	c.differences = make(map[int64]difference)
	for rows, err := range sqlitex.Rows(ctx, c, c.layout.differing()) {
		var id int64
		var isNew bool
		var d difference
		if err == nil {
			err = rows.Scan(&id, &isNew, &d.changed, &d.moved)
		}
		if err != nil {
			return nil, nil, err
		}
		if isNew {
			fresh = append(fresh, id)
		} else {
			known = append(known, id)
		}
		if !isNew || d.moved {
			c.differences[id] = d
		}
	}
	return known, fresh, nil
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
	// differences are those of the rows that are not as they were last seen, but for new ones without a successor.
	differences map[int64]difference
	// left are new rows that are too many to be taken over at once, by their ids, in ascending order. The text of none is known here.
	left []int64
	// successors are those of rows that have another one than before, which may come later.
	successors []successor
}

func (c *reconciler) run(ctx context.Context) error {
	known, fresh, err := findDifferences(ctx, c)
	if err != nil {
		return err
	}
	if err := c.findGone(ctx, len(fresh)); err != nil {
		return err
	}
	edited, fresh := editedOf(c, fresh)
	if err := applyAll(ctx, c, append(known, edited...)); err != nil {
		return err
	}
	if len(fresh) > partSize {
		if c.left, fresh, err = leave(ctx, c, fresh); err != nil {
			return err
		}
	}
	if err := addRows(ctx, c, fresh); err != nil {
		return err
	}
	for _, g := range c.gone {
		if err := c.lose(g); err != nil {
			return err
		}
	}
	if err := succeed(c); err != nil || !c.layout.graph || len(c.left) > 0 {
		return err // the edges of rows that are left come with the last of them
	}
	return errors.Join(c.newEdges(ctx), c.lostEdges(ctx))
}

// succeed applies the successors that were found.
func succeed(c *reconciler) error {
	for _, s := range c.successors {
		if err := c.supersede(s); err != nil {
			return err
		}
	}
	return nil
}

// editedOf separates new rows with the id of one that is gone: it may be that one with another text.
func editedOf(c *reconciler, fresh []int64) (edited, others []int64) {
	for _, id := range fresh {
		if _, ok := c.gone[id]; !ok {
			others = append(others, id)
			continue
		}
		edited = append(edited, id)
		c.differences[id] = difference{changed: true, moved: c.differences[id].moved}
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
			if err := c.apply(&rows[i], c.differences[rows[i].id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// findGone finds the rows that are no longer there. fresh is how many are new: if there are as many others as were seen,
// none is gone.
func (c *reconciler) findGone(ctx context.Context, fresh int) error {
	c.gone = make(map[int64]gone)
	rows, seen, err := countSeen(ctx, c)
	if err != nil || seen == rows-fresh {
		return err
	}
	for rows, err := range sqlitex.Rows(ctx, c, vanished) {
		var g gone
		if err == nil {
			err = rows.Scan(&g.hash, &g.row, &g.created)
		}
		if err != nil {
			return err
		}
		c.gone[g.row] = g
	}
	return nil
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
	m.Metadata = now.Metadata
	for _, key := range counters() {
		if v, ok := old.Metadata[key]; ok {
			formats.SetMeta(m, key, v)
		}
	}
	if follow(old.Metadata, m) {
		m.Version++
	}
	m.ForgottenAt = time.Time{}
	if now.UpdatedAt.After(m.UpdatedAt) {
		m.UpdatedAt = now.UpdatedAt
	}
	return c.Tx.Put(m)
}
