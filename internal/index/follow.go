package index

import (
	"context"
	"fmt"
	"sort"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// CatchUp brings the index to the state of the store. It returns at once when
// nothing changed; else it reads the changes, and searches may run meanwhile.
// If it fails, what was read so far stays and the next call goes on from there.
func (x *Index) CatchUp(ctx context.Context) error {
	head, err := x.src.Head(ctx)
	if err != nil {
		return fmt.Errorf("index: catch up: %w", err)
	}
	if behind, err := x.behind(head); !behind {
		return err
	}
	select {
	case x.follow <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err = x.catchUp(ctx)
	<-x.follow
	if err != nil {
		return fmt.Errorf("index: catch up: %w", err)
	}
	x.maintain(true)
	return nil
}

// behind reports whether the store is in another state than the index.
func (x *Index) behind(h driver.Head) (bool, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return false, fmt.Errorf("index: closed: %w", hippo.ErrUnavailable)
	}
	return h.Store != x.store || h.Revision != x.revision, nil
}

// catchUp reads the changes; the caller holds the token.
func (x *Index) catchUp(ctx context.Context) error {
	head, err := x.src.Head(ctx) // anew: others may have gone on while we waited
	if err != nil {
		return err
	}
	behind, err := x.behind(head)
	if !behind {
		return err
	}
	x.mu.Lock()
	if head.Store != x.store || head.Revision < x.revision {
		if x.store != "" {
			x.log.Info("index: the store was replaced, reading all of it")
		}
		x.reset(head.Store)
	}
	since := x.revision
	x.mu.Unlock()
	for c, err := range x.src.Changes(ctx, since) {
		if err != nil {
			return err
		}
		if err := x.apply(c); err != nil {
			return err
		}
		if err := x.condense(ctx); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.revision = max(x.revision, head.Revision)
	return nil
}

// apply brings one change into the index.
func (x *Index) apply(c driver.Change) error {
	m := c.Memory
	var text uint64
	if m != nil {
		text = textHash(m)
	}
	x.mu.Lock()
	old, known := x.doc(c.ID)
	switch {
	case m == nil || m.Forgotten():
		if known {
			x.kill(old)
		}
	case known && x.rows.cold[old].text == text:
		before := x.rows.standing(old)
		x.rows.set(old, m, text)
		if x.rows.standing(old) != before {
			x.sessions.forget()
		}
		x.note(old)
		delete(x.touched, m.ID)
		x.lay(m.ID, old)
	case len(x.rows.hot) >= maxDocs:
		x.mu.Unlock()
		return fmt.Errorf("more than %d memories: %w", maxDocs, hippo.ErrUnsupported)
	default:
		if known {
			x.kill(old)
		}
		length := x.active.add(x.analyzer, m, x.cutter.of(m))
		doc := x.rows.append(m, text, length)
		x.recent[m.ID] = doc
		x.lay(m.ID, doc)
	}
	x.changed++
	x.revision = max(x.revision, c.Revision)
	x.mu.Unlock()
	return nil
}

// doc returns the live document of a memory.
func (x *Index) doc(id hippo.ID) (uint32, bool) {
	if d, ok := x.recent[id]; ok {
		return d, true
	}
	hot := x.rows.hot[:x.base.n]
	i := sort.Search(len(hot), func(i int) bool { return hot[i].id.Compare(id) >= 0 })
	if i == len(hot) || hot[i].id != id || x.rows.dead.has(uint32(i)) {
		return 0, false
	}
	return uint32(i), true
}

// kill takes a live document out.
func (x *Index) kill(doc uint32) {
	id := x.rows.hot[doc].id
	x.rows.kill(doc)
	for _, s := range x.spaces {
		s.drop(doc)
	}
	x.note(doc)
	delete(x.recent, id)
	delete(x.touched, id)
}

// kill marks a live document as dead.
func (r *rows) kill(doc uint32) {
	r.dead.add(doc)
	r.count(doc, -1)
	r.spaces[r.hot[doc].namespace]--
	delete(r.heirs, r.hot[doc].id)
}

// note remembers, while a merge runs, that a document is not what it was.
func (x *Index) note(doc uint32) {
	if x.merging {
		x.moved = append(x.moved, doc)
	}
}

// wantsMerge reports whether enough has changed to make a new base.
func (x *Index) wantsMerge() bool {
	most := max(mergeDocs, int(mergeShare*float64(x.base.n)))
	delta := len(x.rows.hot) - x.base.n
	dead := len(x.rows.hot) - x.rows.live.Docs
	return delta > most || dead > most
}

// condense merges in the middle of a long catch-up, so that the delta, which
// takes more memory than the base, stays bounded. Whenever it happens the
// index doubles, so that the cost is linear. The caller holds the token.
func (x *Index) condense(ctx context.Context) error {
	if n := x.active.docs(); n < bulkDocs || n < x.base.n || !x.upkeep.TryLock() {
		return nil
	}
	defer x.upkeep.Unlock()
	m := x.freeze(false)
	return x.finish(ctx, m)
}

// maintain merges, and where allowed saves, in the background if it is time to.
func (x *Index) maintain(save bool) {
	x.mu.RLock()
	save = save && x.path != "" && x.changed >= x.saveEvery
	wanted := !x.closed && (save || x.wantsMerge())
	if !wanted || !x.busy.CompareAndSwap(false, true) {
		x.mu.RUnlock()
		return
	}
	x.running.Add(1) // under the lock, so that Close waits for it
	x.mu.RUnlock()
	go func() {
		defer x.running.Done()
		defer x.busy.Store(false)
		x.upkeep.Lock()
		defer x.upkeep.Unlock()
		x.best(x.merge(context.Background(), save))
	}()
}

// best ends a best effort to save: the index goes on in memory, and the next
// save tries again. What stands in the way is logged once.
func (x *Index) best(err error) {
	if err != nil {
		x.complain.Do(func() { x.log.Warn("index: the snapshot cannot be written", "error", err) })
	}
}

// Save writes the snapshot now. Without a path it only merges.
func (x *Index) Save(ctx context.Context) error {
	x.upkeep.Lock()
	defer x.upkeep.Unlock()
	if err := x.merge(ctx, x.path != ""); err != nil {
		return fmt.Errorf("index: save: %w", err)
	}
	return nil
}
