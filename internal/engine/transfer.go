package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/hippo-memory/hippo"
)

// importBatch is how many memories one transaction of an import holds: large
// enough that the commit does not count, small enough to stay responsive.
const importBatch = 500

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

// Import adds the memories of a source; see store.Store.Import for what happens
// to active days. An entry that comes with an error, or is not valid, is
// rejected and the rest goes on. The report is right also when the error is not
// nil: what it counts as added is durable. progress, if not nil, is called with
// the number of entries done after each batch. What was imported is indexed and
// embedded at last, as far as that is a matter of seconds.
func (e *Engine) Import(ctx context.Context, cal hippo.Calendar, entries iter.Seq2[*hippo.Memory, error], progress func(done int)) (ImportReport, error) {
	var r ImportReport
	batch := make([]*hippo.Memory, 0, importBatch)
	entry := 0
	flush := func() error {
		added, present, err := e.store.Import(ctx, cal, batch)
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
	e.meaning.prepare(ctx)
	return r, nil
}

func importable(m *hippo.Memory) error {
	if m.Source.Kind == "" {
		m.Source.Kind = hippo.SourceImport
		m.Trust = max(m.Trust, hippo.DefaultTrust(hippo.SourceImport))
	}
	return m.Validate()
}

// Export yields every memory, forgotten ones included, in the order of their
// last change. A memory that cannot be read is a [*driver.UnreadableError], and the rest
// follows.
func (e *Engine) Export(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for c, err := range e.store.Changes(ctx, 0) {
			if err != nil {
				yield(nil, err)
				return
			}
			more := true
			if c.Unreadable != nil {
				more = yield(nil, c.Unreadable)
			} else if c.Memory != nil {
				more = yield(c.Memory, nil)
			}
			if !more {
				return
			}
		}
	}
}

// Calendar returns the store's active day, for an export to carry along.
func (e *Engine) Calendar(ctx context.Context) (hippo.Calendar, error) {
	h, err := e.store.Head(ctx)
	return h.Calendar, err
}
