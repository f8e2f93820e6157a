package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// maxImportBatch is how many memories one transaction of an import holds: large enough that the
// commit does not count, small enough to stay responsive.
const maxImportBatch = 500

// importBytes is how many bytes of text a batch has at most, but for its last memory: what travels at a time.
const importBytes = 1 << 20

// Transfer exports and imports memories within the scope of a caller. To and from another process they travel in
// batches and pages, so that neither side holds all of them.
type Transfer struct {
	memories *Memories
	preview  bool
	// secretsAllowed: what is imported may hold secrets.
	secretsAllowed bool
	allowed        func(hippo.ID) bool // which memories may, or nil
	visit          func(store.Outcome, *hippo.Memory)
	place          func() string
}

// Transfer returns the export and import within the scope.
func (m *Memories) Transfer() Transfer { return Transfer{memories: m} }

// AllowSecrets returns a transfer that does not look for secrets. It is for what a person has
// stored before, such as another store of this program, and for a caller who was asked.
func (t Transfer) AllowSecrets() Transfer {
	t.secretsAllowed = true
	return t
}

// AllowSecretsOf returns a transfer that does not look for secrets in the memories for which
// allowed is true. It is for an export that says which secrets its store had accepted.
func (t Transfer) AllowSecretsOf(allowed func(hippo.ID) bool) Transfer {
	t.allowed = allowed
	return t
}

// HoldsSecret reports whether a memory seems to hold a secret, which an import would refuse.
func HoldsSecret(m *hippo.Memory) bool { return firstSecret(textsOf(m)) != nil }

// At returns a transfer whose [Transfer.Import] asks place, while it takes an entry, where that is
// in the source, such as "line 7", for the errors of what it refuses. Without it, or if place
// returns "", these errors have the number of the entry.
func (t Transfer) At(place func() string) Transfer {
	t.place = place
	return t
}

// Preview returns a transfer whose [Transfer.Import] stores nothing and reports what it would do.
func (t Transfer) Preview() Transfer {
	t.preview = true
	return t
}

// Visit returns a transfer whose [Transfer.Import] calls fn with every memory that is not rejected
// and what becomes of it.
func (t Transfer) Visit(fn func(store.Outcome, *hippo.Memory)) Transfer {
	t.visit = fn
	return t
}

// ImportReport is the outcome of an import.
type ImportReport struct {
	// Added memories are new; Present ones were here already, by ID. Updated ones were
	// imported before and changed by their source since; Kept ones were changed here, too, and
	// stay as they are.
	Added, Updated, Present, Kept int
	// Rejected entries could not be read or break a rule; nothing of them is stored.
	Rejected []Rejection
}

// Rejection is one entry that an import refused.
type Rejection struct {
	// Entry counts the entries of the source from 1.
	Entry int
	// Err says where the entry is.
	Err error
}

// Import adds the memories of a source to the scope, in its namespace; see
// [store.Scoped.Import] for what happens to active days. An entry that comes with an error, is
// not valid, seems to hold a secret, belongs to a project outside of the scope, or has an ID that is in use outside of
// it, is rejected and the rest goes on. The report is right also when the error is not nil:
// what it counts as added is durable. progress, if not nil, is called with the number of
// entries done after each batch. What was imported is indexed and embedded at last.
func (t Transfer) Import(ctx context.Context, cal hippo.Calendar, entries iter.Seq2[*hippo.Memory, error], progress func(done int)) (ImportReport, error) {
	x := importer{transfer: t, calendar: cal, progress: progress}
	if _, err := perform(ctx, t.memories, importArgs{Preview: true}, importBatch); err != nil { // before the source is read
		return x.report, err
	}
	for m, err := range entries {
		if err := x.add(ctx, m, err); err != nil {
			return x.sorted(), err
		}
	}
	err := errors.Join(x.flush(ctx), ctx.Err())
	if err == nil && !t.preview {
		_ = finishImport(ctx, t.memories) // what fails the next search does, and reports
	}
	return x.sorted(), err
}

// finishImport makes what was imported ready for searches.
func finishImport(ctx context.Context, m *Memories) error {
	_, err := perform(ctx, m, none{}, indexImported)
	return err
}

// indexImported indexes what was imported, and embeds it with the instant models.
func indexImported(ctx context.Context, m *Memories, _ none) (none, error) {
	return none{}, m.indexed(ctx, func() error {
		m.embedding.EmbedInstant(ctx)
		return nil
	})
}

// importArgs are a batch of an import.
type importArgs struct {
	Calendar hippo.Calendar
	Entries  []importEntry
	// Preview: nothing is stored.
	Preview bool `json:",omitempty"`
}

// importEntry is a memory of a batch. It has an ID, by which a second attempt finds what the first one stored.
type importEntry struct {
	Memory        *hippo.Memory
	SecretAllowed bool `json:",omitempty"`
}

// importOutcome is what became of an entry: an outcome, or why it cannot be stored.
type importOutcome struct {
	Outcome store.Outcome `json:",omitempty"`
	Failure *failure      `json:",omitempty"`
}

// importBatch stores the entries of a batch that can be stored, in one transaction. Of a repeated batch those that the
// first attempt stored are present.
func importBatch(ctx context.Context, m *Memories, a importArgs) ([]importOutcome, error) {
	if err := m.scoped.Allow(hippo.RightWrite); err != nil {
		return nil, err
	}
	out, valid := make([]importOutcome, len(a.Entries)), make([]*hippo.Memory, 0, len(a.Entries))
	for i, e := range a.Entries {
		if err := checkImported(m, e); err != nil {
			out[i].Failure = newFailure(err)
		} else {
			valid = append(valid, e.Memory)
		}
	}
	outcomes, err := []store.Outcome(nil), error(nil)
	switch {
	case len(valid) == 0:
	case a.Preview:
		outcomes, err = store.PreviewImport(ctx, m.scoped, valid)
	default:
		outcomes, err = store.As(m.scoped, as(m, hippo.VerbImport)).Import(ctx, a.Calendar, valid)
	}
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Failure == nil {
			out[i].Outcome, outcomes = outcomes[0], outcomes[1:]
		}
	}
	return out, nil
}

// checkImported reports why an entry cannot be stored.
func checkImported(m *Memories, e importEntry) error {
	x := e.Memory
	if x == nil {
		return hippo.Fieldf("Memory", "must be there")
	}
	if x.Source.Kind == "" {
		x.Source.Kind = hippo.SourceImport
		x.Trust = max(x.Trust, hippo.DefaultTrust(hippo.SourceImport))
	}
	if !e.SecretAllowed {
		if err := screenedImport(x); err != nil {
			return err
		}
	}
	x.Namespace = ""
	if err := m.scoped.Place(x); err != nil {
		return err
	}
	return x.Validate()
}

// importer collects entries into batches.
type importer struct {
	transfer Transfer
	calendar hippo.Calendar
	progress func(done int)
	entry    int // the number of the latest
	batch    []importEntry
	bytes    int      // of the texts of batch
	numbers  []int    // of the entries of batch
	places   []string // of the entries of batch
	report   ImportReport
}

// add takes one entry. The error is that of the store.
func (x *importer) add(ctx context.Context, m *hippo.Memory, err error) error {
	x.entry++
	if err == nil {
		err = store.Identify(m)
	}
	if err != nil {
		x.reject(x.entry, err)
		return nil
	}
	t := &x.transfer
	x.batch = append(x.batch, importEntry{m, t.secretsAllowed || t.allowed != nil && t.allowed(m.ID)})
	x.numbers, x.places, x.bytes = append(x.numbers, x.entry), append(x.places, x.where()), x.bytes+sizeOf(m)
	if len(x.batch) < maxImportBatch && x.bytes < importBytes {
		return nil
	}
	return x.flush(ctx)
}

func (x *importer) reject(entry int, err error) {
	x.report.Rejected = append(x.report.Rejected, Rejection{Entry: entry, Err: redacted(err)})
}

// sorted returns the report with the rejections in the order of the source.
func (x *importer) sorted() ImportReport {
	slices.SortStableFunc(x.report.Rejected, func(a, b Rejection) int { return cmp.Compare(a.Entry, b.Entry) })
	return x.report
}

// sizeOf returns the size of what is long in a memory, in bytes.
func sizeOf(m *hippo.Memory) int {
	n := len(m.Content)
	for _, v := range m.Metadata {
		n += len(v)
	}
	return n
}

// where says where the latest entry is.
func (x *importer) where() string {
	if x.transfer.place != nil {
		if place := x.transfer.place(); place != "" {
			return place
		}
	}
	return fmt.Sprintf("entry %d", x.entry)
}

// flush stores the batch.
func (x *importer) flush(ctx context.Context) error {
	if len(x.batch) == 0 {
		return nil
	}
	outcomes, err := perform(ctx, x.transfer.memories, importArgs{x.calendar, x.batch, x.transfer.preview}, importBatch)
	for i, o := range outcomes[:min(len(outcomes), len(x.batch))] {
		x.count(o, i)
		if x.transfer.visit != nil && o.Failure == nil {
			x.transfer.visit(o.Outcome, x.batch[i].Memory)
		}
	}
	x.batch, x.numbers, x.places, x.bytes = x.batch[:0], x.numbers[:0], x.places[:0], 0
	if x.progress != nil {
		x.progress(x.entry)
	}
	return err
}

// count counts the outcome of an entry of the batch.
func (x *importer) count(o importOutcome, i int) {
	switch {
	case o.Failure != nil:
		x.reject(x.numbers[i], fmt.Errorf("%s: %w", x.places[i], o.Failure.err()))
	case o.Outcome == store.Added:
		x.report.Added++
	case o.Outcome == store.Updated:
		x.report.Updated++
	case o.Outcome == store.Kept:
		x.report.Kept++
	case o.Outcome == store.Refused:
		x.reject(x.numbers[i], fmt.Errorf("%s: %w: the id %v is in use", x.places[i], hippo.ErrConflict, x.batch[i].Memory.ID))
	default:
		x.report.Present++
	}
}
