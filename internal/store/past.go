package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Past is a store as it was at a time, for one scope: its reads see former versions, and nothing is written.
type Past struct {
	*Held
	// Beyond are memories that were changed after that time and of which no version from before it is kept: they are as of
	// the oldest version that is.
	Beyond []hippo.ID
	at     time.Time
}

// HoldPast returns the store as the scope knew it at a time. created are the memories of the scope that were recorded later.
// What was purged since is not there, and neither are learned relations.
//
// Cost: a read of the operations since then, and of the versions of what they changed.
func HoldPast(ctx context.Context, s Scoped, at time.Time, created []hippo.ID) (*Past, error) {
	h, err := Hold(ctx, s.store)
	if err != nil {
		return nil, err
	}
	p := &past{in: s, at: at, later: created}
	if err := p.read(ctx); err != nil {
		return nil, wrap("past", err)
	}
	if err := p.relate(ctx); err != nil {
		return nil, wrap("past", err)
	}
	if err := h.overlay.Write(ctx, driver.Lazy, p.write); err != nil {
		return nil, wrap("past", err)
	}
	_, err = h.Head(ctx)
	return &Past{Held: h, Beyond: p.beyond, at: at}, err
}

// past is what a scope knew at a time, as far as that differs from now.
type past struct {
	in     Scoped
	at     time.Time
	later  []hippo.ID // recorded after it
	put    []*hippo.Memory
	undo   []hippo.RelationChange // the last first
	drop   []hippo.Relation       // declared or learned after it
	beyond []hippo.ID
}

// pastBatch is how many operations, and how many memories, are read at a time.
const pastBatch = 500

// read finds what was changed since.
func (p *past) read(ctx context.Context) error {
	var changed []hippo.ID
	for offset := 0; ; offset += pastBatch {
		ops, err := p.in.store.backend.Operations(ctx, driver.OperationQuery{Scope: &p.in.scope, Offset: offset, Limit: pastBatch})
		if err != nil {
			return err
		}
		for i := range ops {
			if ops[i].At.After(p.at) {
				changed = append(changed, ops[i].Memories...)
			}
		}
		if len(ops) < pastBatch || !ops[len(ops)-1].At.After(p.at) {
			break
		}
	}
	slices.SortFunc(changed, hippo.ID.Compare)
	for some := range slices.Chunk(slices.Compact(changed), pastBatch) {
		if err := p.rewind(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// rewind takes back what was done to some memories since.
func (p *past) rewind(ctx context.Context, ids []hippo.ID) error {
	ms, err := visibleByID(ctx, p.in, ids)
	if driver.Readable(err) != nil {
		return err
	}
	vs, err := p.in.store.backend.Versions(ctx, driver.VersionQuery{Scope: &p.in.scope, Memories: ids})
	if driver.Readable(err) != nil {
		return err
	}
	of := make(map[hippo.ID][]hippo.Version, len(ids))
	for i := range vs {
		of[vs[i].ID] = append(of[vs[i].ID], vs[i])
	}
	for _, m := range ms {
		p.rewindOne(m, of[m.ID])
	}
	return nil
}

// rewindOne takes back what was done to a memory since. vs are its versions, the last first.
func (p *past) rewindOne(m *hippo.Memory, vs []hippo.Version) {
	state := m
	for i := range vs {
		v := &vs[i]
		if !v.Operation.At.After(p.at) {
			break
		}
		p.undo = append(p.undo, inverse(v.Relations)...)
		if v.Unchanged {
			continue
		}
		if v.Before == nil && v.Operation.Verb == hippo.VerbImport {
			break // its source says since when it is known
		}
		if state = v.Before; state == nil {
			p.later = append(p.later, m.ID)
			return
		}
	}
	if state == m {
		return
	}
	if state.UpdatedAt.After(p.at) {
		p.beyond = append(p.beyond, m.ID)
	}
	c := state.Clone()
	c.Accesses = slices.Clone(m.Accesses)
	p.put = append(p.put, c)
}

// relate finds the relations that were not known then.
func (p *past) relate(ctx context.Context) error {
	if !p.in.store.HasRelations() {
		return nil
	}
	for r, err := range p.in.store.backend.AllRelations(ctx) {
		if err != nil {
			return err
		}
		if r.Kind == hippo.CoRecalled || r.LastReinforced.After(p.at) {
			p.drop = append(p.drop, r)
		}
	}
	return nil
}

// write makes a store what it was.
func (p *past) write(tx driver.Tx) error {
	set := func(r, to hippo.Relation) error {
		return tx.Relate(r, func(_, _ hippo.Relation) hippo.Relation { return to })
	}
	for _, r := range p.drop {
		if err := set(r, hippo.Relation{}); err != nil {
			return err
		}
	}
	for _, c := range p.undo {
		to := c.Relation
		if !c.Added || to.LastReinforced.After(p.at) {
			to = hippo.Relation{}
		}
		if err := set(c.Relation, to); err != nil {
			return err
		}
	}
	if err := tx.Put(p.put...); err != nil {
		return err
	}
	return tx.Purge(p.later...)
}

// Note says what the past lacks; empty if nothing.
func (p *Past) Note() string { return p.note(len(p.Beyond)) }

// NoteOf says what the past lacks of some memories; empty if nothing.
func (p *Past) NoteOf(ids []hippo.ID) string {
	n := 0
	for _, id := range p.Beyond {
		if slices.Contains(ids, id) {
			n++
		}
	}
	return p.note(n)
}

func (p *Past) note(beyond int) string {
	of, are := fmt.Sprintf("%d memories", beyond), "they are"
	switch beyond {
	case 0:
		return ""
	case 1:
		of, are = "1 memory", "it is"
	}
	return fmt.Sprintf("the history of %s does not reach back to %s: %s as of the oldest version that is kept", of, p.at.Format(time.RFC3339), are)
}
