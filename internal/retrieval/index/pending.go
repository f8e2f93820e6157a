package index

import (
	"cmp"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
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

// settle subtracts accesses from those of their day.
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
