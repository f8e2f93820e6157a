package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// importBatch is how many memories one transaction of an import holds: large enough that the
// commit does not count, small enough to stay responsive.
const importBatch = 500

// Transfer exports and imports memories within the scope of a caller.
type Transfer struct {
	engine *Engine
	scoped store.Scoped
}

// Transfer returns the export and import within the scope.
func (m *Memories) Transfer() Transfer { return Transfer{m.Engine, m.scoped} }

// ImportReport is the outcome of an import.
type ImportReport struct {
	// Added memories are new; Present ones were here already, by ID.
	Added, Present int
	// Rejected entries could not be read or break a rule; nothing of them is stored.
	Rejected []Rejection
}

// Rejection is one entry that an import refused.
type Rejection struct {
	// Entry counts the entries of the source from 1.
	Entry int
	Err   error
}

// Import adds the memories of a source to the scope, in its namespace; see
// [store.Store.Import] for what happens to active days. An entry that comes with an error, or
// is not valid, is rejected and the rest goes on. The report is right also when the error is
// not nil: what it counts as added is durable. progress, if not nil, is called with the number
// of entries done after each batch. What was imported is indexed and embedded at last.
func (t Transfer) Import(ctx context.Context, cal hippo.Calendar, entries iter.Seq2[*hippo.Memory, error], progress func(done int)) (ImportReport, error) {
	var r ImportReport
	batch := make([]*hippo.Memory, 0, importBatch)
	entry := 0
	flush := func() error {
		added, present, err := t.scoped.Import(ctx, cal, batch)
		r.Added += added
		r.Present += present
		batch = batch[:0]
		if progress != nil {
			progress(entry)
		}
		return err
	}
	for m, err := range entries {
		entry++
		if err == nil {
			err = importable(m)
		}
		if err != nil {
			r.Rejected = append(r.Rejected, Rejection{Entry: entry, Err: err})
			continue
		}
		if batch = append(batch, m); len(batch) == importBatch {
			if err := flush(); err != nil {
				return r, err
			}
		}
	}
	if err := errors.Join(flush(), ctx.Err()); err != nil {
		return r, err
	}
	if t.engine.index.CatchUp(ctx) == nil { // else the next search does it, and reports
		t.engine.embedding.EmbedInstant(ctx)
	}
	return r, nil
}

func importable(m *hippo.Memory) error {
	if m.Source.Kind == "" {
		m.Source.Kind = hippo.SourceImport
		m.Trust = max(m.Trust, hippo.DefaultTrust(hippo.SourceImport))
	}
	return m.Validate()
}

// ImportRelations adds relations as another store held them. Those that are here already stay
// as they are, those of unknown memories are left out.
func (t Transfer) ImportRelations(ctx context.Context, rs []hippo.Relation) (added int, err error) {
	for len(rs) > 0 {
		some := rs[:min(len(rs), importBatch)]
		rs = rs[len(some):]
		n, err := t.scoped.ImportRelations(ctx, some)
		if added += n; err != nil {
			return added, err
		}
	}
	return added, nil
}

// Export yields every memory, forgotten ones included, in the order of their last change. One
// that cannot be read is a [*driver.UnreadableError], and the rest follows.
func (t Transfer) Export(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	return t.scoped.All(ctx)
}

// ExportRelations yields every relation as it is stored, by From, To and Kind.
func (t Transfer) ExportRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return t.scoped.AllRelations(ctx)
}

// Calendar returns the store's active day, for an export to carry along.
func (t Transfer) Calendar(ctx context.Context) (hippo.Calendar, error) {
	h, err := t.engine.store.Head(ctx)
	return h.Calendar, err
}
