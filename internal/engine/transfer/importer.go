package transfer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store"
)

// Transfer exports and imports memories within the scope of a caller. To and from another process they travel in
// batches and pages, so that neither side holds all of them.
type Transfer struct {
	memories *engine.Memories
	preview  bool
	// secretsAllowed: what is imported may hold secrets.
	secretsAllowed bool
	allowed        func(hippo.ID) bool // which memories may, or nil
	visit          func(store.Outcome, *hippo.Memory)
	place          func() string
	// logged: the import is an operation, of which source says the rest.
	logged bool
	source Origin
	// again: what was forgotten or purged here comes back.
	again bool
}

// Origin is where an import is from.
type Origin struct {
	// Path is the file or folder, with slashes; empty: unknown.
	Path string
	// Whole returns, after the source was read, which of its files were read without an error, so that what they said
	// before, and do not say any more, is forgotten. Nil: none.
	Whole func() []string
	// Store: it is a store of this program, or an export of one, whose later changes of memories that are here count.
	Store bool
	// Placed: the caller chose the project of the memories. Those that are here stay in theirs.
	Placed bool
}

// New returns the export and import within the scope.
func New(m *engine.Memories) Transfer { return Transfer{memories: m} }

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
func HoldsSecret(m *hippo.Memory) bool { return memory.FirstSecret(memory.TextsOf(m)) != nil }

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

// CountKept returns a transfer whose [Transfer.Import] adds to n, as it goes, how many entries it does not reject.
func (t Transfer) CountKept(n *int) Transfer {
	return t.Visit(func(o store.Outcome, _ *hippo.Memory) {
		if o != store.Refused {
			*n++
		}
	})
}

// Logged returns a transfer whose [Transfer.Import] is one operation, which one undo takes back.
func (t Transfer) Logged(from Origin) Transfer {
	t.logged, t.source = true, from
	return t
}

// Again returns a transfer that brings back what was forgotten or purged here.
func (t Transfer) Again() Transfer {
	t.again = true
	return t
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
	report   api.ImportReport
	followed
}

// followed is what an [importer] knows of the former imports of its source.
type followed struct {
	said map[hippo.ID]*store.Said // those that the source has not said again so far
	// lost are what somebody forgot here, by section.
	lost map[section][]*store.Said
	// held are entries that seem to be a new version of one of those.
	held []heldBack
	// added counts new memories by section; before counts, by project, what the operation has changed.
	added  map[section]int
	before map[string]int
	broken map[string]bool // files of which an entry was rejected
}

// section is a part of a file whose memories may be versions of one another.
type section struct{ file, headings, kind string }

func sectionOf(file string, headings []string, kind string) section {
	return section{file, strings.Join(headings, "\x00"), kind}
}

type heldBack struct {
	memory *hippo.Memory
	former *store.Said
}

// holds notes that the source says a memory, and reports whether it is held back until the whole source is read: it seems to be
// a new version of one that somebody forgot here.
func (x *importer) holds(m *hippo.Memory) bool {
	if x.said == nil {
		return false
	}
	_, known := x.said[m.ID]
	delete(x.said, m.ID)
	file := store.FileOf(m)
	if known || x.transfer.again {
		return false
	}
	for _, s := range x.lost[sectionOf(file, m.Situation, m.Type)] {
		if similar(s.Content, m.Content) {
			x.held = append(x.held, heldBack{m, s})
			return true
		}
	}
	return false
}

// minSimilar is the share of the words of the longer of two texts that both have if one is a version of the other.
const minSimilar = .5

func similar(a, b string) bool {
	words := func(text string) map[string]bool {
		out := make(map[string]bool)
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			out[w] = true
		}
		return out
	}
	x, y, both := words(a), words(b), 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	return float64(both) >= minSimilar*float64(max(len(x), len(y)))
}

// incomplete notes that not all of the file of a memory could be stored.
func (x *importer) incomplete(m *hippo.Memory) {
	if x.broken != nil {
		x.broken[store.FileOf(m)] = true
	}
}

// changed notes that a memory was added or updated.
func (x *importer) changed(m *hippo.Memory) {
	if x.before == nil {
		return
	}
	x.before[m.Project]++
	x.report.Operation = x.transfer.memories.Op.ID
	if file := store.FileOf(m); file != "" {
		x.added[sectionOf(file, m.Situation, m.Type)]++
	}
}

// take puts a memory into the batch.
func (x *importer) take(ctx context.Context, m *hippo.Memory) error {
	t := &x.transfer
	x.batch = append(x.batch, importEntry{m, t.secretsAllowed || t.allowed != nil && t.allowed(m.ID)})
	x.numbers, x.places, x.bytes = append(x.numbers, x.entry), append(x.places, x.where()), x.bytes+sizeOf(m)
	if len(x.batch) < maxImportBatch && x.bytes < importBytes {
		return nil
	}
	return x.flush(ctx)
}

func (x *importer) reject(entry int, err error) {
	x.report.Rejected = append(x.report.Rejected, api.Rejection{Entry: entry, Err: memory.Redacted(err)})
}

// sorted returns the report with the rejections in the order of the source.
func (x *importer) sorted() api.ImportReport {
	slices.SortStableFunc(x.report.Rejected, func(a, b api.Rejection) int { return cmp.Compare(a.Entry, b.Entry) })
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
	t := &x.transfer
	outcomes, err := engine.Perform(ctx, t.memories, importArgs{
		Calendar: x.calendar, Entries: x.batch, Preview: t.preview, Logged: t.logged, Again: t.again, Joined: t.source.Store, Placed: t.source.Placed, Before: x.before,
	}, "import_batch", importBatch)
	for i, o := range outcomes[:min(len(outcomes), len(x.batch))] {
		x.count(o, i)
		if t.visit != nil && o.Failure == nil {
			t.visit(o.Outcome, x.batch[i].Memory)
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
		x.incomplete(x.batch[i].Memory)
		x.reject(x.numbers[i], fmt.Errorf("%s: %w", x.places[i], o.Failure.Err()))
	case o.Outcome == store.Added:
		x.report.Added++
		x.changed(x.batch[i].Memory)
	case o.Outcome == store.Updated:
		x.report.Updated++
		x.changed(x.batch[i].Memory)
	case o.Outcome == store.Kept:
		x.report.Kept++
	case o.Outcome == store.Forgotten:
		x.report.Forgotten++
	case o.Outcome == store.Purged:
		x.report.Purged++
	case o.Outcome == store.Refused:
		x.reject(x.numbers[i], fmt.Errorf("%s: %w: it cannot be stored under the id %v: leave the id out, and it gets a new one", x.places[i], hippo.ErrInvalid, x.batch[i].Memory.ID))
	default:
		x.report.Present++
	}
}
