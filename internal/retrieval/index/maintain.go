package index

import (
	"context"
	"runtime/debug"
)

// maintain starts the background work if there is any. While the index is rebuilt the file is
// written with each large segment: all others are merged soon, and would stay in it as garbage.
func (u *upkeep) maintain() {
	if u.opts.ReadOnly {
		return
	}
	if due(u) && !u.rebuilding.Load() || mergeable(u, u.current.Load()) != nil {
		u.background.Start(u.tidy)
	}
	if w := u.sender; w != nil && !u.rebuilding.Load() && w.due(u.current.Load(), u.opts.Instant) {
		w.work.Start(w.send)
	}
}

// due reports whether so much has changed that the file is to be written.
func due(u *upkeep) bool { return u.opts.writable() && u.unsaved() >= u.opts.SaveEvery }

// tidy is the background work.
func (u *upkeep) tidy() {
	u.warn(u.guardUpdate(func() error {
		u.working.Lock()
		defer u.working.Unlock()
		save := due(u)
		if err := u.mergeAll(); err != nil || !save || u.rebuilding.Load() {
			return err
		}
		return u.write(usual)
	}))
}

// save merges and writes the file now, within some slack.
func (u *upkeep) save(ctx context.Context, within slack) error {
	u.working.Lock()
	defer u.working.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return u.guardUpdate(func() error {
		if err := u.mergeAll(); err != nil || !u.opts.writable() {
			return err
		}
		return u.write(within)
	})
}

// manyDocs is the number of documents of a merged segment that is written at once: what is
// merged next is then read from the file, and the heap holds one such segment at a time.
const manyDocs = 1 << 14

// mergeAll merges until nothing is left to merge, and writes the file after each large merge.
func (u *upkeep) mergeAll() error {
	for {
		docs := u.mergeNext()
		if docs < 0 {
			return nil
		}
		if docs < manyDocs {
			continue
		}
		if u.opts.writable() {
			if err := u.write(usual); err != nil {
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
	return u.opts.writable() && n > 0 && (n >= smallChange || u.current.Load().docs() < largeIndex)
}

// mergeable returns parts of a snapshot that are to be merged in the background; nil if there are none.
func mergeable(u *upkeep, s *snapshot) []*part {
	if u.rebuilding.Load() {
		return s.mergeable(maxDocs, rebuildFactor)
	}
	return s.mergeable(maxDocs, mergeFactor)
}

// mergeNext does one merge and returns how many documents it made, or -1 if there is nothing to
// merge. Searches and edits go on meanwhile: what they changed is applied to the result when it
// takes its place.
func (u *upkeep) mergeNext() (docs int) {
	s := u.current.Load()
	parts := mergeable(u, s)
	if parts == nil {
		return -1
	}
	p, m := merge(parts, s.models)
	u.edit(func(d *draft) {
		if d.epoch == s.epoch {
			d.replaceMerged(m, p)
		}
	})
	return p.docs
}
