package index

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// draft is the next snapshot while it is made. It shares with the current one whatever it does
// not change.
type draft struct {
	snapshot
	pending *pending
	owned   map[*part]bool
	chunks  map[*rowChunk]bool
	// stale are the chunks whose shown rows have to be computed again.
	stale map[chunkKey]bool
	// changed counts the rows that differ from those of the current snapshot.
	changed int
}

// chunkKey is a chunk of rows of a part.
type chunkKey struct {
	part  *part
	chunk uint32
}

// own returns a part that may be changed.
func (d *draft) own(at int) *part {
	p := d.parts[at]
	if !d.owned[p] {
		p = p.clone()
		d.owned[p] = true
		d.parts[at] = p
	}
	return p
}

// chunk returns the stored chunk of a document for changing.
func (d *draft) chunk(at int, doc uint32) *rowChunk {
	p, k := d.own(at), doc/chunkRows
	c := p.stored.chunks[k]
	if c == nil || !d.chunks[c] {
		c = p.stored.copyChunk(doc)
		d.chunks[c] = true
		p.stored.chunks[k] = c
	}
	d.stale[chunkKey{p, k}] = true
	return c
}

// setRow replaces a stored row, its accesses and its successor; the zero ID: none.
func setRow(d *draft, at int, doc uint32, r row, uses []use, by hippo.ID) {
	p := d.own(at)
	p.archived += r.archived() - p.stored.row(doc).archived()
	d.chunk(at, doc).set(doc, r, uses, by)
}

// remove deletes a document.
func (d *draft) remove(at int, doc uint32) {
	p := d.own(at)
	if p.live.has(doc) {
		p.updateStats(doc, -1)
	}
	p.live.remove(doc)
	p.hidden.remove(doc)
	d.changed++
}

// hide makes a document hidden or visible.
func (d *draft) hide(at int, doc uint32, hidden bool) {
	p := d.own(at)
	switch {
	case hidden && p.live.has(doc):
		p.updateStats(doc, -1)
		p.live.remove(doc)
		p.hidden.add(doc)
	case !hidden && p.hidden.has(doc):
		p.hidden.remove(doc)
		p.live.add(doc)
		p.updateStats(doc, 1)
	}
}

// update takes the mutable columns of a document from m.
func (d *draft) update(at int, doc uint32, m *hippo.Memory) {
	old := d.parts[at].stored.row(doc)
	r := rowOf(m)
	r.namespace, r.project, r.kind = old.namespace, old.project, old.kind
	setRow(d, at, doc, r, recentUses(m.Accesses), m.SupersededBy)
	d.hide(at, doc, m.Forgotten())
	d.changed++
}

// append adds the part of a new segment.
func (d *draft) append(p *part) {
	d.owned[p] = true
	d.parts = append(d.parts, p)
	d.changed += p.docs
	for doc := range uint32(p.docs) {
		if d.pending.has(p.columns.rows[doc].id) {
			d.stale[chunkKey{p, doc / chunkRows}] = true
		}
	}
}

// show computes the shown rows of the chunks that changed: the stored ones and what is
// pending.
func (d *draft) show() {
	for key := range d.stale {
		if !slices.Contains(d.parts, key.part) {
			continue // merged away within this draft
		}
		p, from := key.part, key.chunk*chunkRows
		shown := p.stored.chunks[key.chunk]
		for doc := from; doc < min(from+chunkRows, uint32(p.docs)); doc++ {
			list := d.pending.of(p.columns.rows[doc].id)
			if len(list) == 0 || !p.live.has(doc) && !p.hidden.has(doc) {
				continue
			}
			if shown == p.stored.chunks[key.chunk] {
				shown = p.stored.copyChunk(doc)
			}
			uses := p.stored.uses(doc)
			for _, u := range list {
				uses = addUse(uses, u)
			}
			shown.setUses(doc, uses)
		}
		p.shown.chunks[key.chunk] = shown
	}
}

// touch marks the chunk of a memory, if it is here, for showing what is pending.
func (d *draft) touch(id hippo.ID) bool {
	at, doc, ok := d.find(id)
	if ok {
		d.stale[chunkKey{d.own(at), doc / chunkRows}] = true
	}
	return ok
}

// reset empties the index for another store. What is read of its memories has all of their accesses.
func (d *draft) reset(head *driver.Head, models []embed.Model) {
	d.snapshot = snapshot{store: head.Store, models: models, used: head.Calendar.Day, usesRead: true, epoch: d.epoch + 1}
	d.pending.clear()
}

// count adds accesses to those that are pending.
func (d *draft) count(list []touch) {
	for _, t := range list {
		if d.touch(t.id) {
			d.pending.add(t.id, t.use)
		}
	}
}

// settle moves accesses of a day from those that are pending to those that are stored.
func (d *draft) settle(id hippo.ID, u use) {
	d.pending.settle(id, u)
	if at, doc, ok := d.find(id); ok {
		d.chunk(at, doc).setUses(doc, addUse(d.parts[at].stored.uses(doc), u))
		d.changed++
	}
}

// setUses replaces the accesses of a memory on a day and later by those that the store has.
func setUses(d *draft, id hippo.ID, since int32, news []use) {
	at, doc, ok := d.find(id)
	if !ok {
		return
	}
	have := d.parts[at].stored.uses(doc)
	from := slices.IndexFunc(have, func(u use) bool { return u.day >= since })
	if from < 0 {
		from = len(have)
	}
	list := slices.Concat(have[:from], news)
	for list[0].day <= list[len(list)-1].day-useWindow {
		list = list[1:]
	}
	if !slices.Equal(list, have) {
		d.chunk(at, doc).setUses(doc, list)
		d.changed++
	}
}
