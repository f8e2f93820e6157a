package index

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
)

// Index is a follower of a store. It is safe for concurrent use.
type Index struct {
	*state
	*follower
	upkeep *upkeep
	search searchPool
	// Vectors are the embeddings in the index.
	Vectors *Vectors
}

// Open loads the file, if there is one that fits; it does not catch up with src. A file that
// does not fit is replaced; its state is never an error. Close the Index after use.
//
// Cost: some milliseconds with a file of 100,000 memories.
func Open(ctx context.Context, src Source, o *Options) (*Index, error) {
	o = o.complete()
	head, err := src.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("index: open: %w", err)
	}
	s := newState(o.Models)
	u := &upkeep{state: s, opts: o, file: indexFile{path: o.Path, mappings: newMappings()}}
	if o.shares() {
		u.sender = newSender(func() { send(u) })
	}
	u.load(ctx, head)
	f := &follower{state: s, src: src, opts: o, upkeep: u, token: make(chan struct{}, 1)}
	v := &Vectors{state: s, upkeep: u, scans: newScans()}
	return &Index{state: s, follower: f, upkeep: u, Vectors: v, search: newSearchPool(o, &v.elements, v.scans)}, nil
}

// Stats describes an index.
type Stats struct {
	// Memories counts those that can be found, and Forgotten those that are hidden, of all scopes.
	Memories, Forgotten int
	// Terms is the size of the dictionaries together.
	Terms int
	// Segments counts the segments, Deleted the documents that wait for a merge to go.
	Segments, Deleted int
	// Revision is how far the index has followed the store; Saved is the revision of the
	// file, 0 if there is none.
	Revision, Saved hippo.Revision
	// Bytes is the size of the file when this process opened or wrote it last, 0 if there is none.
	Bytes int64
}

// Stats returns the current state.
func (x *Index) Stats() Stats {
	s := x.current.Load()
	out := Stats{Segments: len(s.parts), Revision: s.revision, Saved: x.upkeep.file.savedRevision(), Bytes: x.upkeep.file.size()}
	for _, p := range s.parts {
		out.Memories += p.live.count()
		out.Forgotten += p.hidden.count()
		out.Deleted += p.deleted()
		out.Terms += p.lexicon.terms.len()
	}
	return out
}

// Anonymous memory of an index in bytes, one second after a search. A document in a mapped file keeps its mutable columns and bits of its key in
// memory, and each term of the dictionary takes a slot in lookup tables. A document outside a file is in memory as a whole.
// lab/capacity measures these as "held", on notes of 300 bytes with the built-in models at four sizes.
const (
	residentIndex  = 288 << 10
	residentMapped = 24
	residentTerm   = 24
	residentOther  = 4 << 10
)

// Resident estimates how many bytes the index holds in memory that the system cannot take back.
func (x *Index) Resident() int64 {
	n := int64(residentIndex)
	for _, p := range x.current.Load().parts {
		if p.file != nil {
			n += int64(p.docs)*residentMapped + int64(p.lexicon.terms.len())*residentTerm
		} else {
			n += int64(p.docs) * residentOther
		}
	}
	return n
}

// Save writes the file now; without a path it only merges what is to be merged.
func (x *Index) Save(ctx context.Context) error {
	if err := x.upkeep.save(ctx, usual); err != nil {
		return fmt.Errorf("index: save: %w", err)
	}
	return nil
}

// Close ends the background work, saves what is worth it and releases everything. That the
// file cannot be written is logged and no error: the store has all the data. Closing again
// does nothing.
func (x *Index) Close() error {
	x.close()
	first := false
	x.edit(func(d *draft) { first, d.closed = !d.closed, true })
	if !first {
		return nil
	}
	x.upkeep.background.Close()
	if x.upkeep.worthSaving() {
		x.upkeep.warn(x.upkeep.save(context.Background(), usual))
	}
	closeSender(x.upkeep)
	x.edit(func(d *draft) { d.parts = nil })
	return nil
}

// Guard runs f, which uses results of [Index.Search]. If the file of the index turns out to be
// damaged meanwhile, Guard empties the index and returns [ErrDamaged]; what f did until then
// is lost, and f may be run again after a catch-up.
func (x *Index) Guard(f func() error) error {
	s := x.current.Load()
	err := x.upkeep.guardRead(s, f)
	if err == nil && x.current.Load().epoch != s.epoch { // another call has found the damage
		return errEmptied()
	}
	return err
}

// CountByProject counts the memories of a scope that can be found, by project.
func CountByProject(x *Index, scope *hippo.Scope) map[string]int {
	out := make(map[string]int)
	for _, p := range x.current.Load().parts {
		in, ok := p.scope(scope)
		if !ok {
			continue
		}
		counts := make([]int, p.names.len())
		for _, x := range in.projects {
			counts[x.project] = p.totals[x.number].all.Docs
		}
		addCounts(out, counts, p.names.text)
	}
	return out
}
