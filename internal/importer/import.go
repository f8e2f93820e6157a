package importer

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store"
)

// Options control an import.
type Options struct {
	// Preview: nothing is stored, and the report says what would be. BringBack brings back what was forgotten or purged. Secrets also takes what looks
	// like one.
	Preview, BringBack, Secrets bool
	// Project is the project for all memories, as the caller wrote it; blank, or all of them: each has its own. Here is the one that the caller works in.
	Project string
	Here    project.Identity
	// Progress is called with the number of entries done after each batch.
	Progress func(done int)
}

// Report counts what an import did.
type Report struct {
	api.ImportReport
	Kind string
	// Memories are those of a preview, at most a thousand of each outcome.
	Memories  []Previewed
	Relations int
	Skipped   []formats.Skipped
	// Projects are where memories went that the source has names of projects for.
	Projects []Filed
	// Elsewhere counts memories that were here before, in other projects than the one that was given.
	Elsewhere int
}

// OfStore reports whether the source was a store of this program, or an export of one.
func (r *Report) OfStore() bool { return formats.Own(formats.Kind(r.Kind)) }

// maxListed is the number of memories of a preview that are listed, of each outcome.
const maxListed = 1000

// Outcome is what becomes of a memory of a preview.
type Outcome string

// The outcomes, in the order in which [Report.Memories] lists them.
const (
	Add    Outcome = "add"
	Update Outcome = "update"
	Keep   Outcome = "keep"
)

// Outcomes are all of them.
func Outcomes() []Outcome { return []Outcome{Add, Update, Keep} }

// Count returns how many memories have an outcome.
func (r *Report) Count(o Outcome) int {
	return map[Outcome]int{Add: r.Added, Update: r.Updated, Keep: r.Kept}[o]
}

// Previewed is a memory of a preview.
type Previewed struct {
	Outcome Outcome  `json:"outcome"`
	ID      hippo.ID `json:"uuid"`
	Type    string   `json:"type,omitempty"`
	Content string   `json:"content"`
}

// preview collects what an import would do, by outcome.
type preview map[Outcome][]Previewed

func (p preview) visit(o store.Outcome, m *hippo.Memory) {
	name, ok := map[store.Outcome]Outcome{store.Added: Add, store.Updated: Update, store.Kept: Keep}[o]
	if ok && len(p[name]) < maxListed {
		p[name] = append(p[name], Previewed{name, m.ID, m.Type, shortText(m.Content)})
	}
}

// list returns the memories in the order of [Outcomes].
func (p preview) list() (out []Previewed) {
	for _, o := range Outcomes() {
		out = append(out, p[o]...)
	}
	return out
}

func shortText(text string) string {
	const most = 200
	return formats.Shorten(strings.Join(strings.Fields(text), " "), most)
}

// Import stores what a source holds, as one operation of the caller. The report says what was done, even beside an error; it is nil if the project is wrong.
func (s *Source) Import(ctx context.Context, m *engine.Memories, o *Options) (*Report, error) {
	to, err := newFiling(ctx, m, s.Kind, o)
	if err != nil {
		return nil, err
	}
	from := s.origin
	from.Store, from.Placed = formats.Own(s.Kind), to.given != nil
	t := transfer.New(m).At(s.Place).AllowSecretsOf(s.SecretAllowed).Logged(from)
	if o.BringBack {
		t = t.Again()
	}
	if o.Secrets {
		t = t.AllowSecrets()
	}
	shown, visit := preview{}, to.visit
	if o.Preview {
		t = t.Preview()
		visit = func(o store.Outcome, m *hippo.Memory) { to.visit(o, m); shown.visit(o, m) }
	}
	r := &Report{Kind: string(s.Kind)}
	r.ImportReport, err = t.Visit(visit).Import(ctx, s.Calendar, until(ctx, to.place(s.Entries())), o.Progress)
	r.Memories, r.Elsewhere = shown.list(), to.elsewhere(ctx, m)
	switch {
	case o.Preview:
		r.Relations = len(s.Relations())
	case err == nil:
		r.Relations, err = t.ImportRelations(ctx, s.Relations())
	}
	r.Skipped, r.Projects = s.Skipped(), to.report()
	return r, err
}

// until ends a sequence when ctx is done.
func until(ctx context.Context, entries iter.Seq2[*hippo.Memory, error]) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for m, err := range entries {
			if ctx.Err() != nil || !yield(m, err) {
				return
			}
		}
	}
}

// Copy copies what is exported, and the history of the store that it is from, into another store.
func (x *Export) Copy(ctx context.Context, from, to *engine.Memories, progress func(done int)) (*Report, error) {
	t := transfer.New(to).AllowSecrets()
	r, err := t.Import(ctx, x.Calendar, until(ctx, x.Memories), progress)
	if err == nil {
		_, err = t.ImportRelations(ctx, slices.Concat(slices.Collect(maps.Values(x.Related))...))
	}
	if err == nil {
		err = copyHistory(ctx, from, t)
	}
	return &Report{ImportReport: r, Kind: "store", Projects: []Filed{}}, err
}

// copyHistory copies what is kept of memories that were changed.
func copyHistory(ctx context.Context, from *engine.Memories, to transfer.Transfer) error {
	for vs, err := range transfer.New(from).ExportHistory(ctx) {
		if err != nil {
			return err
		}
		if _, err := to.ImportHistory(ctx, vs); err != nil {
			return err
		}
	}
	return nil
}
