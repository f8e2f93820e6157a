package index

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// pending are the accesses that are counted and not stored yet, by memory and day. It is
// guarded by the edits of the index.
type pending struct {
	counts map[hippo.ID][]use
}

func (p *pending) has(id hippo.ID) bool { return len(p.counts[id]) > 0 }

func (p *pending) of(id hippo.ID) []use { return p.counts[id] }

func (p *pending) clear() { p.counts = make(map[hippo.ID][]use) }

// add counts accesses. Each stays on its own day however old it gets, unlike in [addUse], so
// that settle finds it again.
func (p *pending) add(id hippo.ID, u use) {
	list := p.counts[id]
	i, ok := slices.BinarySearchFunc(list, u, func(a, b use) int { return cmp.Compare(a.day, b.day) })
	if ok {
		list[i].count += u.count
	} else {
		list = slices.Insert(list, i, u)
	}
	p.counts[id] = list
}

// settle takes accesses off those of their day.
func (p *pending) settle(id hippo.ID, u use) {
	list := p.counts[id]
	if i := slices.IndexFunc(list, func(o use) bool { return o.day == u.day }); i >= 0 {
		if list[i].count -= u.count; list[i].count <= 0 {
			list = slices.Delete(list, i, i+1)
		}
	}
	if p.counts[id] = list; len(list) == 0 {
		delete(p.counts, id)
	}
}

// touches are the accesses that wait to be shown.
type touches struct {
	mu   sync.Mutex
	list []touch
}

type touch struct {
	id hippo.ID
	use
}

// take returns what waits, and waits no longer.
func (t *touches) take() []touch {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.list
	t.list = nil
	return list
}

// count adds accesses to those that are pending.
func (d *draft) count(list []touch) {
	for _, t := range list {
		if d.touch(t.id) {
			d.pending.add(t.id, t.use)
		}
	}
}

// Settle runs write, which stores accesses that Touch counted on day, and takes over what it
// returns as stored. counts are the accesses that are no longer pending afterwards, stored or
// given up. Changes are not read meanwhile, so that no access is counted twice. The error is
// that of write or of ctx.
func (f *follower) Settle(ctx context.Context, day hippo.Day, counts map[hippo.ID]int, write func() ([]driver.Touched, error)) error {
	select {
	case f.token <- struct{}{}:
		defer func() { <-f.token }()
	case <-ctx.Done():
		return ctx.Err()
	}
	stored, err := write()
	// If the file is damaged, the next catch-up reads from the store what is stored.
	_ = f.upkeep.guard(func() error {
		f.edit(func(d *draft) {
			d.count(f.touches.take())
			d.settleAll(day, counts, stored)
		})
		return nil
	})
	f.upkeep.maintain()
	return err
}

// settleAll takes counts off what is pending, and takes over what is stored instead.
func (d *draft) settleAll(day hippo.Day, counts map[hippo.ID]int, stored []driver.Touched) {
	for id, n := range counts {
		d.pending.settle(id, use{int32Of(int(day)), int32Of(n)})
		d.touch(id)
	}
	for _, t := range stored {
		// What others changed in between has to be read first: CatchUp does.
		if t.Revision != d.revision+1 {
			break
		}
		d.revision = t.Revision
		d.settle(t)
	}
}

// settle takes over the newest access that the store has of a memory.
func (d *draft) settle(t driver.Touched) {
	d.changed++
	at, doc, ok := d.find(t.ID)
	if !ok {
		return
	}
	newest := use{int32Of(int(t.Newest.Day)), int32Of(t.Newest.Count)}
	list := d.parts[at].stored.uses(doc)
	if k := len(list); k > 0 && list[k-1].day == newest.day {
		list = list[:k-1]
	}
	d.chunk(at, doc).setUses(doc, addUse(list, newest))
}
