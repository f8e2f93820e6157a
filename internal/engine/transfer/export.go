package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

const (
	// maxExportPage is how many memories a page of an export has, but for those of one revision, and exportBytes how many
	// bytes of text, but for its last memory.
	maxExportPage, exportBytes = 500, 1 << 20
	// maxRelationPage is how many relations a page has. Each page costs a scan of those before it.
	maxRelationPage = 20_000
)

// Export yields every memory, forgotten ones included, in the order of their last change. One
// that cannot be read is a [*api.UnreadableError], and the rest follows. From another process they come in pages: a
// memory that changes meanwhile is yielded once, as it was when its page was read.
func (t Transfer) Export(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	if t.memories.Remote == nil {
		return t.memories.Scoped.All(ctx)
	}
	return func(yield func(*hippo.Memory, error) bool) {
		seen := make(map[hippo.ID]bool)
		page := exportPage{More: true}
		for page.More {
			var err error
			if page, err = engine.Perform(ctx, t.memories, page.Next, "export_after", exportAfter); err != nil {
				yield(nil, err)
				return
			}
			for _, e := range page.Entries {
				if e.Memory != nil && seen[e.Memory.ID] {
					continue
				}
				if e.Memory != nil {
					seen[e.Memory.ID] = true
				}
				if !yield(e.Memory, e.err()) {
					return
				}
			}
		}
	}
}

// exportPage is a part of an export. Next is where the next one begins; empty is the beginning.
type exportPage struct {
	Entries []exportEntry
	Next    string
	More    bool
}

// exportEntry is a memory, or why some cannot be read.
type exportEntry struct {
	Memory   *hippo.Memory      `json:",omitempty"`
	Problems []api.StoreProblem `json:",omitempty"`
}

func (e *exportEntry) err() error {
	if e.Memory != nil {
		return nil
	}
	return &api.UnreadableError{Problems: e.Problems}
}

// exportAfter returns the page after a position.
func exportAfter(ctx context.Context, m *engine.Memories, position string) (p exportPage, err error) {
	head, at, err := exportPosition(ctx, m, position)
	if err != nil {
		return p, err
	}
	size := 0
	for c, err := range store.AllSince(ctx, m.Scoped, at) {
		if err != nil {
			return p, err
		}
		if p.More = (len(p.Entries) >= maxExportPage || size >= exportBytes) && c.Revision > at; p.More {
			break
		}
		at = max(at, c.Revision)
		switch {
		case c.Memory != nil:
			p.Entries, size = append(p.Entries, exportEntry{Memory: c.Memory}), size+sizeOf(c.Memory)
		case c.Unreadable != nil:
			p.Entries = append(p.Entries, exportEntry{Problems: c.Unreadable.Problems})
		}
	}
	p.Next = history.SealPosition(head.Store, m.Scope.Namespace, at)
	return p, nil
}

// exportPosition returns the store, and the revision at a position of its export.
func exportPosition(ctx context.Context, m *engine.Memories, position string) (head driver.Head, at hippo.Revision, err error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return head, 0, err
	}
	if head, err = m.Store.Head(ctx); err != nil {
		return head, 0, err
	}
	ok := true
	if position != "" {
		at, ok = history.OpenPosition(head.Store, m.Scope.Namespace, position)
	}
	if !ok || at > head.Revision {
		return head, 0, fmt.Errorf("%w: the store was replaced by another one during the export: begin again", hippo.ErrConflict)
	}
	return head, at, nil
}

// ExportRelations yields every relation as it is stored, by From, To and Kind.
func (t Transfer) ExportRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	if t.memories.Remote == nil {
		return t.memories.Scoped.AllRelations(ctx)
	}
	return func(yield func(hippo.Relation, error) bool) {
		var last *hippo.Relation
		for {
			page, err := engine.Perform(ctx, t.memories, relationsArgs{last}, "relations_after", relationsAfter)
			if err != nil {
				yield(hippo.Relation{}, err)
				return
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
			if len(page) < maxRelationPage {
				return
			}
			last = &page[len(page)-1]
		}
	}
}

// relationsArgs ask for the relations after one; nil: from the first.
type relationsArgs struct{ After *hippo.Relation }

func relationsAfter(ctx context.Context, m *engine.Memories, a relationsArgs) (page []hippo.Relation, err error) {
	for r, err := range store.AllRelationsAfter(ctx, m.Scoped, a.After) {
		if err != nil {
			return nil, err
		}
		if page = append(page, r); len(page) == maxRelationPage {
			break
		}
	}
	return page, nil
}

// Calendar returns the store's active day, for an export to carry along.
func (t Transfer) Calendar(ctx context.Context) (hippo.Calendar, error) {
	return engine.Perform(ctx, t.memories, engine.None{}, "calendar", calendar)
}

func calendar(ctx context.Context, m *engine.Memories, _ engine.None) (hippo.Calendar, error) {
	h, err := m.Store.Head(ctx)
	return h.Calendar, err
}

// ImportRelations adds relations as another store held them. Those that are here already stay
// as they are, those of unknown memories are left out. Those whose kind seems to hold a secret are left out,
// and the first of them is the error.
func (t Transfer) ImportRelations(ctx context.Context, rs []hippo.Relation) (added int, err error) {
	var refused error
	if !t.secretsAllowed {
		rs, refused = memory.ScreenedRelations(rs)
	}
	for len(rs) > 0 && err == nil {
		some := rs[:min(len(rs), maxImportBatch)]
		rs = rs[len(some):]
		var n int
		n, err = engine.Perform(ctx, t.memories, some, "import_relations", importRelations)
		added += n
	}
	return added, errors.Join(err, refused)
}

// importRelations stores a batch of relations. The count of a repeated one lacks those that the first attempt stored.
func importRelations(ctx context.Context, m *engine.Memories, rs []hippo.Relation) (int, error) {
	return m.Scoped.ImportRelations(ctx, rs)
}
