package index

import (
	"cmp"
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Touch counts one access on day for each of these memories, before the store
// knows of it: the index adds it to what the store says until [Index.Settle].
// Unknown IDs are ignored.
func (x *Index) Touch(ids []hippo.ID, day hippo.Day) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		doc, ok := x.doc(id)
		if !ok {
			continue
		}
		one := use{int32Of(int(day)), 1}
		x.owed[id] = owe(x.owed[id], one)
		x.lend(id, doc, one)
	}
}

// owe adds accesses to what is owed. Each stays on its own day however old it
// gets, unlike in [plus], so that pay finds it again.
func owe(list []use, u use) []use {
	i, ok := slices.BinarySearchFunc(list, u, func(a, b use) int { return cmp.Compare(a.day, b.day) })
	if !ok {
		return slices.Insert(list, i, u)
	}
	list[i].count += u.count
	return list
}

// lend adds accesses to a row and keeps what the store says beside it.
func (x *Index) lend(id hippo.ID, doc uint32, more ...use) {
	h := &x.rows.hot[doc]
	list := x.rows.uses(h)
	if _, ok := x.touched[id]; !ok {
		x.touched[id] = append([]use(nil), list...)
	}
	for _, u := range more {
		list = plus(list, u)
	}
	x.rows.setUses(h, list)
	x.note(doc)
}

// lay adds what is owed to a row that was just read from the store.
func (x *Index) lay(id hippo.ID, doc uint32) {
	if list := x.owed[id]; len(list) > 0 {
		x.lend(id, doc, list...)
	}
}

// Settle runs write, which stores accesses that Touch counted on day, and takes over
// what it returns as stored. counts are the accesses that are no longer owed
// afterwards, stored or given up. Nobody reads changes meanwhile, so that no access is
// counted twice. The error is that of write or of ctx.
func (x *Index) Settle(ctx context.Context, day hippo.Day, counts map[hippo.ID]int, write func() ([]driver.Touched, error)) error {
	select {
	case x.follow <- struct{}{}:
		defer func() { <-x.follow }()
	case <-ctx.Done():
		return ctx.Err()
	}
	stored, err := write()
	x.mu.Lock()
	for id, n := range counts {
		x.pay(id, use{int32Of(int(day)), int32Of(n)})
	}
	for _, t := range stored {
		// What others changed in between has to be read first: CatchUp does.
		if t.Revision != x.revision+1 {
			break
		}
		x.revision = t.Revision
		x.settle(t)
	}
	x.mu.Unlock()
	x.maintain(true)
	return err
}

// settle takes over the newest access that the store has of a memory.
func (x *Index) settle(t driver.Touched) {
	x.changed++
	doc, ok := x.doc(t.ID)
	if !ok {
		return
	}
	h := &x.rows.hot[doc]
	list, lent := x.touched[t.ID]
	if !lent {
		list = x.rows.uses(h)
	}
	newest := use{int32Of(int(t.Newest.Day)), int32Of(t.Newest.Count)}
	if k := len(list); k > 0 && list[k-1].day == newest.day {
		list = list[:k-1]
	}
	x.rows.setUses(h, plus(list, newest))
	x.note(doc)
	delete(x.touched, t.ID)
	x.lay(t.ID, doc)
}

// pay takes accesses off what is owed of their day.
func (x *Index) pay(id hippo.ID, u use) {
	list := x.owed[id]
	if i := slices.IndexFunc(list, func(o use) bool { return o.day == u.day }); i >= 0 {
		if list[i].count -= u.count; list[i].count <= 0 {
			list = slices.Delete(list, i, i+1)
		}
	}
	if x.owed[id] = list; len(list) == 0 {
		delete(x.owed, id)
	}
}
