package transfer

import (
	"context"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/store"
)

// maxHistoryPage is how many memories a page of exported history is of, but for those of one revision. Each may have
// some MB of former versions.
const maxHistoryPage = 20

// ExportHistory yields the former versions of all memories, those of some memories at a time, of each the last one
// first; see [store.AllVersions].
func (t Transfer) ExportHistory(ctx context.Context) iter.Seq2[[]hippo.Version, error] {
	if t.memories.Remote == nil {
		return store.AllVersions(t.memories.Scoped, ctx)
	}
	return func(yield func([]hippo.Version, error) bool) {
		page := historyPage{More: true}
		for page.More {
			var err error
			if page, err = engine.Perform(ctx, t.memories, page.Next, "history_after", historyAfter); err != nil {
				yield(nil, err)
				return
			}
			if len(page.Versions) > 0 && !yield(page.Versions, nil) {
				return
			}
		}
	}
}

// historyPage is a part of an exported history. Next is where the next one begins; empty is the beginning.
type historyPage struct {
	Versions []hippo.Version
	Next     string
	More     bool
}

// historyAfter returns the page after a position of an export.
func historyAfter(ctx context.Context, m *engine.Memories, position string) (p historyPage, err error) {
	head, at, err := exportPosition(ctx, m, position)
	if err != nil {
		return p, err
	}
	var ids []hippo.ID
	for c, err := range store.AllSince(ctx, m.Scoped, at) {
		if err != nil {
			return p, err
		}
		if p.More = len(ids) >= maxHistoryPage && c.Revision > at; p.More {
			break
		}
		at = max(at, c.Revision)
		if c.Memory != nil {
			ids = append(ids, c.Memory.ID)
		}
	}
	p.Next = history.SealPosition(head.Store, m.Scope.Namespace, at)
	if len(ids) > 0 {
		p.Versions, err = store.ExportVersions(ctx, m.Scoped, ids)
	}
	return p, err
}

// ImportHistory keeps what [Transfer.ExportHistory] yielded for the memories that have no history here. Versions
// that seem to hold a secret are left out.
func (t Transfer) ImportHistory(ctx context.Context, vs []hippo.Version) (added int, err error) {
	if !t.secretsAllowed {
		vs = slices.DeleteFunc(slices.Clone(vs), func(v hippo.Version) bool { return v.Before != nil && HoldsSecret(v.Before) })
	}
	for some := range batchesByMemory(vs) {
		n, err := engine.Perform(ctx, t.memories, some, "import_history", importHistory)
		added += n
		if err != nil {
			return added, err
		}
	}
	return added, nil
}

// importHistory stores a batch of versions. A repeated one adds nothing: its memories have a history then.
func importHistory(ctx context.Context, m *engine.Memories, vs []hippo.Version) (int, error) {
	return store.ImportVersions(ctx, m.Scoped, vs)
}

// batchesByMemory yields versions in batches of about [importBytes] bytes of text, in which those of one memory stay
// together.
func batchesByMemory(vs []hippo.Version) iter.Seq[[]hippo.Version] {
	vs = slices.Clone(vs)
	slices.SortStableFunc(vs, func(a, b hippo.Version) int { return a.ID.Compare(b.ID) })
	return func(yield func([]hippo.Version) bool) {
		from, size := 0, 0
		for i := range vs {
			if size >= importBytes && vs[i].ID != vs[i-1].ID {
				if !yield(vs[from:i]) {
					return
				}
				from, size = i, 0
			}
			if vs[i].Before != nil {
				size += sizeOf(vs[i].Before)
			}
		}
		if from < len(vs) {
			yield(vs[from:])
		}
	}
}
