package sharedstore

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Column superseded_by, where a file has it, names the row that replaces another one. Table shared_row has what it was
// when both sides agreed last: who differs from that has changed it.

// successor is what a row has in that column, by the hashes of both rows.
type successor struct{ hash, by string }

// agreed returns the hash of the successor on which both sides agreed last; empty: none.
func (t *tx) agreed(hash string) (string, error) {
	var by any
	_, err := sqlitex.First(context.Background(), t, "SELECT superseded_by FROM shared_row WHERE hash = ?", []any{hash}, &by)
	s, _ := textOf(by)
	return s, err
}

// agree records the successor of a row.
func (t *tx) agree(hash, by string) error {
	return t.Exec("UPDATE shared_row SET superseded_by = ? WHERE hash = ?", null(by), hash)
}

// successorOf returns the hash of the row that shows the successor of a memory; empty: there is none.
func (p *projection) successorOf(m *hippo.Memory) (string, error) {
	if !p.layout.superseded || m.SupersededBy.IsZero() {
		return "", nil
	}
	return p.linkOf(m.SupersededBy)
}

// setSuccessor adds the column to the changes of a row if the successor was changed on this side: what the others set
// meanwhile, and a successor that only they know, stays otherwise.
func (p *projection) setSuccessor(hash string, m *hippo.Memory, c *changes) (by string, err error) {
	if by, err = p.successorOf(m); err != nil || !p.layout.superseded {
		return by, err
	}
	was, err := p.agreed(hash)
	if err == nil && by != was {
		c.set(supersededColumn, null(by))
		return by, nil
	}
	return was, err
}

// supersede applies the successor that a row names to its memory: also that there is none any more. One that is not
// known here is looked for again the next time.
func (c *reconciler) supersede(s successor) error {
	next, err := c.firstOf(s.by)
	if err != nil || next.IsZero() && s.by != "" {
		return err
	}
	members, err := c.members(s.hash)
	if err != nil {
		return err
	}
	if len(members) > 0 && members[0].SupersededBy != next {
		m := members[0].Clone()
		m.SupersededBy = next
		if err := c.Tx.Put(m); err != nil {
			return err
		}
	}
	return c.agree(s.hash, s.by)
}

// firstOf returns the memory that a row shows; zero: none.
func (t *tx) firstOf(hash string) (hippo.ID, error) {
	if hash == "" {
		return hippo.ID{}, nil
	}
	members, err := t.members(hash)
	if err != nil || len(members) == 0 {
		return hippo.ID{}, err
	}
	return members[0].ID, nil
}

// giveBack makes hold again what memories supersede that were forgotten. The rows of the others stay: they name a row that is gone,
// and hold again, if it comes back, as [findReturned] has it.
func giveBack(c *reconciler) error {
	if len(c.forgotten) == 0 {
		return nil
	}
	var former []hippo.ID
	for rows, err := range sqlitex.Rows(context.Background(), c, "SELECT id, superseded_by FROM memory WHERE superseded_by IS NOT NULL") {
		var id, by []byte
		if err == nil {
			err = rows.Scan(&id, &by)
		}
		if err != nil {
			return err
		}
		if c.forgotten[hippo.ID(by)] != nil {
			former = append(former, hippo.ID(id))
		}
	}
	for _, id := range former {
		m, err := c.Peek(id)
		if err != nil || m == nil { // one that cannot be read is among the problems
			continue
		}
		m = m.Clone()
		if driver.GiveBack(m, c.forgotten) {
			if err := c.Tx.Put(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// findReturned finds the rows that name one as their successor whose memory came back.
func findReturned(c *reconciler) error {
	if !c.layout.superseded {
		return nil
	}
	for _, by := range c.returned {
		for rows, err := range sqlitex.Rows(context.Background(), c, "SELECT content_hash FROM memories WHERE "+supersededColumn+" = ?", by) {
			var hash string
			if err == nil {
				err = rows.Scan(&hash)
			}
			if err != nil {
				return err
			}
			c.successors = append(c.successors, successor{hash, by})
		}
	}
	return nil
}
