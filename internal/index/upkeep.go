package index

import (
	"cmp"
	"context"
	"math/bits"
	"runtime/debug"
	"slices"
	"sync"
)

const (
	// Segments of a tier hold between mergeFactor^n and mergeFactor^(n+1) documents. When
	// there are mergeFactor of them they are merged, so that the number of segments and
	// the copies of each document grow with the logarithm of the size.
	mergeFactor = 4
	// maxInline is the number of documents up to which edits merge themselves; larger
	// merges run beside them.
	maxInline = 1024
	// maxBytes bounds what is merged, so that offsets fit 32 bits.
	maxBytes = 256 << 20
	// A segment is rewritten when this share of it is deleted.
	maxDeleted = .25
	minDeleted = 64
)

// upkeep is the background work: merges and saves, one at a time.
type upkeep struct {
	*state
	opts *Options
	file indexFile // guarded by working

	working sync.Mutex // held by the work
	flags   sync.Mutex // guards busy and closed
	busy    bool
	closed  bool
	running sync.WaitGroup
	warned  sync.Once // that the file cannot be written
}

// begin reports whether background work may start.
func (u *upkeep) begin() bool {
	u.flags.Lock()
	defer u.flags.Unlock()
	if u.busy || u.closed {
		return false
	}
	u.busy = true
	u.running.Add(1)
	return true
}

func (u *upkeep) end() {
	u.flags.Lock()
	u.busy = false
	u.flags.Unlock()
	u.running.Done()
}

// close waits for the background work; no other begins.
func (u *upkeep) close() {
	u.flags.Lock()
	u.closed = true
	u.flags.Unlock()
	u.running.Wait()
}

// tier is the logarithm of the size of a part, to the base of mergeFactor.
func tier(docs int) int { return bits.Len(uint(docs)) / 2 }

// mergeable returns parts that are to be merged, up to this many documents together; nil if
// there are none.
func (s *snapshot) mergeable(limit int) []*part {
	byTier := make(map[int][]*part)
	for _, p := range s.parts {
		n, d := p.docs, p.deleted()
		if d == n || n <= limit && d >= minDeleted && float64(d) > maxDeleted*float64(n) {
			return []*part{p}
		}
		byTier[tier(n)] = append(byTier[tier(n)], p)
	}
	for _, list := range byTier {
		if len(list) < mergeFactor {
			continue
		}
		slices.SortFunc(list, func(a, b *part) int { return cmp.Compare(a.docs, b.docs) })
		if list = upTo(list[:mergeFactor], limit); len(list) > 1 {
			return list
		}
	}
	return nil
}

// upTo returns the first of the parts, those that may be merged together.
func upTo(parts []*part, limit int) []*part {
	docs, size := 0, 0
	for i, p := range parts {
		docs, size = docs+p.docs, size+p.bytes()
		if docs > limit || size > maxBytes {
			return parts[:i]
		}
	}
	return parts
}

// mergeSmall merges small parts within a draft.
func (d *draft) mergeSmall() {
	for {
		parts := d.mergeable(maxInline)
		if parts == nil {
			return
		}
		p, _ := merge(parts, d.models)
		d.replace(parts, p)
	}
}

// replace puts one part in the place of others; nil where nothing is left.
func (d *draft) replace(old []*part, p *part) {
	d.parts = slices.DeleteFunc(d.parts, func(x *part) bool { return slices.Contains(old, x) })
	if p.docs > 0 {
		d.append(p)
		d.changed -= p.docs // it was counted before
	}
}

// maintain starts the background work if there is any.
func (u *upkeep) maintain() {
	save := u.opts.Path != "" && u.unsaved() >= u.opts.SaveEvery
	if !save && u.current.Load().mergeable(maxDocs) == nil || !u.begin() {
		return
	}
	go func() {
		defer u.end()
		u.warn(u.guard(func() error {
			u.working.Lock()
			defer u.working.Unlock()
			return u.tidy(save)
		}))
	}()
}

// save merges and writes the file now.
func (u *upkeep) save(ctx context.Context) error {
	u.working.Lock()
	defer u.working.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return u.guard(func() error {
		return u.tidy(u.opts.Path != "")
	})
}

// manyDocs is the number of documents of a merged segment that is written at once: what is
// merged next is then read from the file, and the heap holds one such segment at a time.
const manyDocs = 1 << 14

// tidy merges until nothing is left to merge, and writes the file if save is set.
func (u *upkeep) tidy(save bool) error {
	for {
		docs := u.mergeNext()
		switch {
		case docs < 0 && save:
			return u.write()
		case docs < 0:
			return nil
		case docs < manyDocs:
			continue
		}
		if save {
			if err := u.write(); err != nil {
				return err
			}
		}
		// The collector would let the heap, and the mapped inputs with it, grow to twice
		// their size first. A merge of this size happens once in as many changes.
		debug.FreeOSMemory()
	}
}

const (
	// A new process reads this many rows again rather than have an old one spend the time
	// to save a large index when it closes.
	smallChange = 64
	largeIndex  = 4096
)

// worthSaving reports whether a process that ends should write the file.
func (u *upkeep) worthSaving() bool {
	n := u.unsaved()
	return u.opts.Path != "" && n > 0 && (n >= smallChange || u.current.Load().docs() < largeIndex)
}

// warn ends a best effort: the index goes on in memory, and the next save tries again. What
// stands in the way is logged once.
func (u *upkeep) warn(err error) {
	if err != nil {
		u.warned.Do(func() { u.opts.Log.Warn("index: the file cannot be written", "error", err) })
	}
}

// mergeNext does one merge and returns how many documents it made, or -1 if there is nothing to
// merge. Searches and edits go on meanwhile: what they changed is applied to the result when it
// takes its place.
func (u *upkeep) mergeNext() (docs int) {
	s := u.current.Load()
	parts := s.mergeable(maxDocs)
	if parts == nil {
		return -1
	}
	p, m := merge(parts, s.models)
	u.edit(func(d *draft) {
		if d.epoch == s.epoch {
			d.takeOver(m, p)
		}
	})
	return p.docs
}

// takeOver puts a merged part in its place, with what happened to its documents since the
// merge began.
func (d *draft) takeOver(m *merger, p *part) {
	var old []*part
	for _, in := range m.inputs {
		i := slices.IndexFunc(d.parts, func(x *part) bool { return x.segment == in.segment })
		if i < 0 {
			return // a smaller merge took it
		}
		old = append(old, d.parts[i])
	}
	at := len(d.parts)
	d.append(p)
	for i, in := range m.inputs {
		d.catchUp(m, in, old[i], at)
	}
	p = d.parts[at]
	d.parts = slices.DeleteFunc(d.parts, func(x *part) bool { return slices.Contains(old, x) || x == p && p.docs == 0 })
	d.changed -= m.out.docs
}

// catchUp applies to the new part what differs between an input and its current state.
func (d *draft) catchUp(m *merger, in *input, now *part, at int) {
	for doc, to := range in.newOf {
		doc := uint32(doc)
		if to == gone {
			continue
		}
		switch live, hidden := now.live.has(doc), now.hidden.has(doc); {
		case !live && !hidden:
			d.remove(at, to)
			continue
		default:
			d.hide(at, to, hidden)
		}
		if k := doc / chunkRows; now.stored.chunks[k] != in.stored.chunks[k] {
			r, names := *now.stored.row(doc), d.parts[at].columns.rows[to]
			r.namespace, r.project, r.kind = names.namespace, names.project, names.kind
			d.chunk(at, to).set(to, r, now.stored.uses(doc), now.stored.successor(doc))
		}
	}
	for k := range m.models {
		if list := late(in, now, k); len(list) > 0 {
			p := d.own(at)
			p.vectors[k] = p.vectors[k].with(m.models[k], p.docs, list)
		}
	}
}

// late returns the vectors by model k that came since the merge began.
func late(in *input, now *part, k int) []docVector {
	var list []docVector
	for doc, to := range in.newOf {
		row, ok := now.vectors[k].row(uint32(doc))
		before, had := in.part.vectors[k].row(uint32(doc))
		if to != gone && ok && (!had || row != before) {
			list = append(list, docVector{to, now.vectors[k].table.At(row)})
		}
	}
	return list
}
