package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// importBatch is how many memories one transaction of an import holds: large enough that the
// commit does not count, small enough to stay responsive.
const importBatch = 500

// Transfer exports and imports memories within the scope of a caller. If another process has the store open, each
// method opens it in this one, too: streams of any length, and the functions of a caller, do not travel.
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
	m, end, err := here(ctx, t.memories)
	if err != nil {
		return ImportReport{}, err
	}
	t.memories = m
	report, err := t.importHere(ctx, cal, entries, progress)
	return report, errors.Join(err, end())
}

func (t Transfer) importHere(ctx context.Context, cal hippo.Calendar, entries iter.Seq2[*hippo.Memory, error], progress func(done int)) (ImportReport, error) {
	if err := t.memories.scoped.Allow(hippo.RightWrite); err != nil {
		return ImportReport{}, err
	}
	x := importer{transfer: t, calendar: cal, progress: progress}
	for m, err := range entries {
		if err := x.add(ctx, m, err); err != nil {
			return x.report, err
		}
	}
	if err := errors.Join(x.flush(ctx), ctx.Err()); err != nil || t.preview {
		return x.report, err
	}
	_ = t.memories.indexed(ctx, func() error { // what fails the next search does, and reports
		t.memories.embedding.EmbedInstant(ctx)
		return nil
	})
	return x.report, nil
}

// importer collects entries into batches.
type importer struct {
	transfer Transfer
	calendar hippo.Calendar
	progress func(done int)
	entry    int // the number of the latest
	batch    []*hippo.Memory
	numbers  []int    // of the entries of batch
	places   []string // of the entries of batch
	report   ImportReport
}

// add takes one entry. The error is that of the store.
func (x *importer) add(ctx context.Context, m *hippo.Memory, err error) error {
	x.entry++
	if err == nil {
		if err = x.check(m); err != nil {
			err = fmt.Errorf("%s: %w", x.where(), err)
		}
	}
	if err != nil {
		x.report.Rejected = append(x.report.Rejected, Rejection{Entry: x.entry, Err: redacted(err)})
		return nil
	}
	x.batch, x.numbers, x.places = append(x.batch, m), append(x.numbers, x.entry), append(x.places, x.where())
	if len(x.batch) < importBatch {
		return nil
	}
	return x.flush(ctx)
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
	t := x.transfer
	var outcomes []store.Outcome
	var err error
	if t.preview {
		outcomes, err = store.PreviewImport(ctx, t.memories.scoped, x.batch)
	} else {
		outcomes, err = store.As(t.memories.scoped, as(t.memories, hippo.VerbImport)).Import(ctx, x.calendar, x.batch)
	}
	for i, o := range outcomes {
		x.count(o, i)
		if t.visit != nil {
			t.visit(o, x.batch[i])
		}
	}
	x.batch, x.numbers, x.places = x.batch[:0], x.numbers[:0], x.places[:0]
	if x.progress != nil {
		x.progress(x.entry)
	}
	return err
}

// count counts the outcome of an entry of the batch.
func (x *importer) count(o store.Outcome, i int) {
	switch o {
	case store.Added:
		x.report.Added++
	case store.Updated:
		x.report.Updated++
	case store.Kept:
		x.report.Kept++
	case store.Refused:
		taken := fmt.Errorf("%s: %w: the id %v is in use", x.places[i], hippo.ErrConflict, x.batch[i].ID)
		x.report.Rejected = append(x.report.Rejected, Rejection{Entry: x.numbers[i], Err: taken})
	default:
		x.report.Present++
	}
}

// check reports why an entry cannot be stored.
func (x *importer) check(m *hippo.Memory) error {
	if m.Source.Kind == "" {
		m.Source.Kind = hippo.SourceImport
		m.Trust = max(m.Trust, hippo.DefaultTrust(hippo.SourceImport))
	}
	if t := &x.transfer; !t.secretsAllowed && (t.allowed == nil || !t.allowed(m.ID)) {
		if err := screenedImport(m); err != nil {
			return err
		}
	}
	m.Namespace = ""
	if err := x.transfer.memories.scoped.Place(m); err != nil {
		return err
	}
	return m.Validate()
}

// ImportRelations adds relations as another store held them. Those that are here already stay
// as they are, those of unknown memories are left out. Those whose kind seems to hold a secret are left out,
// and the first of them is the error.
func (t Transfer) ImportRelations(ctx context.Context, rs []hippo.Relation) (added int, err error) {
	var refused error
	if !t.secretsAllowed {
		rs, refused = screenedRelations(rs)
	}
	m, end, err := here(ctx, t.memories)
	if err != nil {
		return 0, errors.Join(err, refused)
	}
	for len(rs) > 0 {
		some := rs[:min(len(rs), importBatch)]
		rs = rs[len(some):]
		var n int
		if n, err = m.scoped.ImportRelations(ctx, some); err != nil {
			rs = nil
		}
		added += n
	}
	return added, errors.Join(err, refused, end())
}

// Export yields every memory, forgotten ones included, in the order of their last change. One
// that cannot be read is a [*driver.UnreadableError], and the rest follows.
func (t Transfer) Export(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	return streamed(ctx, t.memories, store.Scoped.All)
}

// ExportRelations yields every relation as it is stored, by From, To and Kind.
func (t Transfer) ExportRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return streamed(ctx, t.memories, store.Scoped.AllRelations)
}

// ExportHistory yields the former versions of all memories; see [store.AllVersions].
func (t Transfer) ExportHistory(ctx context.Context) iter.Seq2[[]hippo.Version, error] {
	return streamed(ctx, t.memories, store.AllVersions)
}

// ImportHistory keeps what [Transfer.ExportHistory] yielded for the memories that have no history here. Versions
// that seem to hold a secret are left out.
func (t Transfer) ImportHistory(ctx context.Context, vs []hippo.Version) (added int, err error) {
	m, end, err := here(ctx, t.memories)
	if err != nil {
		return 0, err
	}
	if !t.secretsAllowed {
		vs = slices.DeleteFunc(slices.Clone(vs), func(v hippo.Version) bool { return v.Before != nil && HoldsSecret(v.Before) })
	}
	added, err = store.ImportVersions(ctx, m.scoped, vs)
	return added, errors.Join(err, end())
}

// Calendar returns the store's active day, for an export to carry along.
func (t Transfer) Calendar(ctx context.Context) (hippo.Calendar, error) {
	m, end, err := here(ctx, t.memories)
	if err != nil {
		return hippo.Calendar{}, err
	}
	h, err := m.store.Head(ctx)
	return h.Calendar, errors.Join(err, end())
}

// streamed yields what all does, from the store in this process. An error at its end is one of closing what was only read.
func streamed[T any](ctx context.Context, m *Memories, all func(store.Scoped, context.Context) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		m, end, err := here(ctx, m)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		defer end() //nolint:errcheck // nothing was written
		all(m.scoped, ctx)(yield)
	}
}
