package index

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
)

// merger is a merge under way: the live documents of the base and the frozen
// delta, and where they go.
type merger struct {
	epoch  int
	base   *base
	frozen *delta
	rows   *rows    // of the new base
	newOf  []uint32 // old document to new, or gone
	oldOf  []uint32 // and back
	names  []uint32 // old name to new, plus 1; 0: not carried over yet
	spaces []*moving
	state  *state // what to save, if anything
}

// gone stands for the new number of a dead document.
const gone = ^uint32(0)

// merge makes a new base of the base and the delta, and saves it if asked to. It
// works beside the searches; only the first and the last step lock them out, for
// the time it takes to copy columns. The caller holds upkeep.
func (x *Index) merge(ctx context.Context, save bool) error {
	select {
	case x.follow <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	m := x.freeze(save)
	<-x.follow
	return x.finish(ctx, m)
}

// freeze begins a merge. The caller holds the token, so that nothing but Touch
// changes the index.
func (x *Index) freeze(save bool) *merger {
	x.mu.Lock()
	x.frozen, x.active = x.active, newDelta()
	x.merging, x.moved = true, nil
	x.mu.Unlock()

	x.mu.RLock()
	defer x.mu.RUnlock()
	m := &merger{
		epoch: x.epoch, base: x.base, frozen: x.frozen, rows: newRows(),
		names: make([]uint32, len(x.rows.names.list)),
	}
	m.gather(x.rows)
	for _, s := range x.spaces {
		m.spaces = append(m.spaces, m.move(s))
	}
	if save {
		m.state = &state{
			Store: x.store, Revision: x.revision, changed: x.changed, spaces: m.spaces,
			names: encodeNames(m.rows.names), rows: encodeRows(m.rows, x.touched),
		}
	}
	return m
}

// gather copies the columns of the live documents, in the order of their IDs.
func (m *merger) gather(from *rows) {
	n := m.base.n
	late := make([]uint32, 0, m.frozen.docs())
	for d := range m.frozen.docs() {
		late = append(late, uint32(n+d))
	}
	slices.SortFunc(late, func(a, b uint32) int { return from.hot[a].id.Compare(from.hot[b].id) })
	m.newOf = make([]uint32, n+len(late))
	m.oldOf = make([]uint32, 0, from.live.Docs)
	m.rows.grow(from.live.Docs)
	for i := 0; i < n || len(late) > 0; {
		var d uint32
		if len(late) == 0 || i < n && from.hot[i].id.Compare(from.hot[late[0]].id) <= 0 {
			d = uint32(i)
			i++
		} else {
			d, late = late[0], late[1:]
		}
		if from.dead.has(d) {
			m.newOf[d] = gone
			continue
		}
		m.newOf[d] = uint32(len(m.oldOf))
		m.oldOf = append(m.oldOf, d)
		m.copy(from, d)
	}
}

// grow makes room for n documents.
func (r *rows) grow(n int) {
	r.hot, r.cold = slices.Grow(r.hot, n), slices.Grow(r.cold, n)
	r.content, r.other = slices.Grow(r.content, n), slices.Grow(r.other, n)
	r.accesses = slices.Grow(r.accesses, n)
}

// copy appends a document of other columns.
func (m *merger) copy(from *rows, d uint32) {
	r := m.rows
	doc := uint32(len(r.hot))
	r.hot, r.cold = append(r.hot, row{}), append(r.cold, detail{})
	r.content, r.other = append(r.content, from.content[d]), append(r.other, from.other[d])
	r.count(doc, 1)
	r.spaces[0]++
	m.replace(doc, from, d)
}

// replace takes over all columns but the lengths.
func (m *merger) replace(doc uint32, from *rows, d uint32) {
	r, h, c := m.rows, from.hot[d], from.cold[d]
	r.spaces[r.hot[doc].namespace]--
	h.namespace, h.project, h.kind = m.name(from, h.namespace), m.name(from, h.project), m.name(from, h.kind)
	r.spaces[h.namespace]++
	r.setUses(&h, from.uses(&h))
	c.author, c.session = m.name(from, c.author), m.name(from, c.session)
	labels := from.labels[c.labels : int(c.labels)+int(c.tagCount)+int(c.elemCount)]
	c.labels = uint32(len(r.labels))
	for i, t := range labels {
		name := m.name(from, t)
		r.labels = append(r.labels, name)
		if i >= int(c.tagCount) {
			r.mark(name)
		}
	}
	r.hot[doc], r.cold[doc] = h, c
	r.inherit(h.id, from.heirs[h.id])
}

// name returns the new number of a name.
func (m *merger) name(from *rows, old uint32) uint32 {
	for int(old) >= len(m.names) {
		m.names = append(m.names, 0)
	}
	if m.names[old] == 0 {
		m.names[old] = m.rows.names.add(from.names.list[old]) + 1
	}
	return m.names[old] - 1
}

// finish makes the new base and puts it in place.
func (x *Index) finish(ctx context.Context, m *merger) error {
	made := m.base
	if m.frozen.docs() > 0 || len(m.oldOf) != m.base.n {
		made = mergeSegments(m)
	}
	for _, s := range m.spaces {
		s.pick()
		if m.state != nil { // before the swap: after it new vectors come into the table
			m.state.planes = append(m.state.planes, planesOf(s))
		}
	}
	x.mu.Lock()
	if m.epoch != x.epoch || x.rows == nil {
		x.mu.Unlock()
		return nil // the index was emptied meanwhile
	}
	x.swap(m, made)
	x.mu.Unlock()
	if m.state == nil {
		return nil
	}
	return x.save(ctx, m.state, made)
}

// swap replaces base and frozen delta by the new base, with what happened to
// their documents meanwhile.
func (x *Index) swap(m *merger, made *base) {
	from, boundary := x.rows, uint32(len(m.newOf))
	for _, d := range x.moved {
		if d >= boundary || m.newOf[d] == gone {
			continue
		}
		switch to := m.newOf[d]; {
		case m.rows.dead.has(to):
		case from.dead.has(d):
			m.rows.kill(to)
		default:
			m.replace(to, from, d)
		}
	}
	for d := boundary; int(d) < len(from.hot); d++ {
		m.copy(from, d)
		if from.dead.has(d) {
			m.rows.kill(uint32(len(m.rows.hot)) - 1)
		}
	}
	recent := make(map[hippo.ID]uint32)
	for id, d := range x.recent {
		if d >= boundary {
			recent[id] = d - boundary + uint32(made.n)
		}
	}
	m.spaces = append(m.spaces, m.late(x.spaces)...)
	for _, s := range m.spaces {
		s.swap(x, m)
	}
	x.base, x.frozen, x.rows, x.recent = made, nil, m.rows, recent
	x.sessions.forget()
	x.elements.in = nil
	x.merging, x.moved = false, nil
}
