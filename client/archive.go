package client

import (
	"context"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Export yields every insight as it is stored, forgotten ones included, in the order of their
// last change. One that cannot be read is an error, and the rest follows.
func (c *Client) Export(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	return c.memories.Transfer().Export(ctx)
}

// ImportReport is the outcome of an import.
type ImportReport struct {
	// Added insights are new; Present ones were here already, by ID. Updated ones are those of
	// another program that it has changed since they were imported, and nobody here has.
	Added, Updated, Present int
	// Operation undoes the import, see [Undo]; zero if nothing was changed.
	Operation hippo.ID
	// Rejected entries were not valid; nothing of them is stored.
	Rejected []Rejection
}

// Rejection is an entry that an import refused.
type Rejection struct {
	// Entry counts the entries from 1.
	Entry int
	Err   error
}

// ImportOption says more about what is imported.
type ImportOption func(*hippo.Calendar)

// ActiveDays gives the calendar of the store that the insights come from, which its [Status]
// has, so that what was used lately there is used lately here. Without it the insights count as
// used once, today.
func ActiveDays(c hippo.Calendar) ImportOption { return func(to *hippo.Calendar) { *to = c } }

// Import adds insights as another store held them, with their IDs, times and votes. An entry
// that is not valid, or comes with an error, or whose ID is in use outside of the namespace, is
// rejected, and the rest goes on. Importing the same again adds nothing. What the report counts
// as added is durable, also if there is an error.
func (c *Client) Import(ctx context.Context, entries iter.Seq2[*hippo.Memory, error], opts ...ImportOption) (ImportReport, error) {
	var calendar hippo.Calendar
	for _, set := range opts {
		set(&calendar)
	}
	r, err := c.memories.Transfer().Logged(engine.Origin{}).Import(ctx, calendar, entries, nil)
	out := ImportReport{Added: r.Added, Updated: r.Updated, Present: r.Present + r.Kept + r.Forgotten + r.Purged, Operation: r.Operation}
	for _, x := range r.Rejected {
		out.Rejected = append(out.Rejected, Rejection(x))
	}
	return out, err
}
