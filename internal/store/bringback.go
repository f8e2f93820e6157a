package store

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Released is why a memory holds again: what superseded it was forgotten, and is here as it was then. Until is when the memory had ended.
type Released struct {
	By    *hippo.Memory
	Until time.Time
}

// Bind makes a memory superseded again, unless something else supersedes it since.
func (r Released) Bind(x *hippo.Memory) {
	next := r.By.SupersededBy
	if !x.SupersededBy.IsZero() && x.SupersededBy != next || next == x.ID {
		return
	}
	x.SupersededBy = r.By.ID
	if x.ValidUntil.IsZero() || r.Until.Before(x.ValidUntil) {
		x.ValidUntil = r.Until
	}
}

// bindAgain adds to the changes of an import that what it brings back supersedes others again. What this program has exported of one of
// those says whether. Where the batch does not say it, one is superseded that was when its successor was forgotten.
func (p *importPlan) bindAgain(in Scoped, tx driver.Tx, b *Batch) error {
	back := make(map[hippo.ID]*hippo.Memory)
	for _, c := range p.changed {
		if c.before.Forgotten() && !c.after.Forgotten() {
			back[c.after.ID] = c.after
		}
	}
	if len(back) == 0 {
		return nil
	}
	links := maps.Clone(b.Released)
	maps.DeleteFunc(links, func(_ hippo.ID, r Released) bool { return back[r.By.ID] == nil })
	if links == nil {
		links = make(map[hippo.ID]Released)
	}
	for _, m := range b.Memories {
		if by := back[m.SupersededBy]; by != nil && by.ID != m.ID {
			links[m.ID] = Released{by, cmp.Or(m.ValidUntil, by.ValidFrom, by.When())}
		} else if !fromElsewhere(m) {
			delete(links, m.ID)
		}
	}
	for _, c := range p.changed {
		if r, ok := links[c.after.ID]; ok {
			r.Bind(c.after)
			delete(links, c.after.ID)
		}
	}
	others, err := changeOthers(in, tx, slices.SortedFunc(maps.Keys(links), hippo.ID.Compare), func(m *hippo.Memory) { links[m.ID].Bind(m) })
	p.changed = append(p.changed, others...)
	return err
}
