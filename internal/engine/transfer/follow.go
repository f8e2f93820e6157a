package transfer

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store"
)

// saidArgs ask for what former imports have made of a path.
type saidArgs struct{ Path string }

func saidBefore(ctx context.Context, m *engine.Memories, a saidArgs) ([]store.Said, error) {
	if err := m.Scoped.Allow(hippo.RightRead); err != nil {
		return nil, err
	}
	return store.SaidBy(ctx, m.Scoped, a.Path)
}

// withdrawArgs are memories that an import forgets; see [store.Withdraw].
type withdrawArgs struct {
	IDs    []hippo.ID
	Before map[string]int `json:",omitempty"`
}

// withdrawn are the projects of what an import has forgotten, and of what that superseded, which holds again.
type withdrawn struct {
	Gone []string
	Back []string `json:",omitempty"`
}

// withdraw forgets what a source does not say any more. Of a repeated call what the first one has forgotten is left out.
func withdraw(ctx context.Context, m *engine.Memories, a withdrawArgs) (out withdrawn, err error) {
	h, err := memory.SuccessionsOf(ctx, m, a.IDs)
	if err != nil {
		return out, err
	}
	w := &store.Withdrawal{IDs: a.IDs, Before: a.Before, Former: h.Former, Release: h.Release}
	gone, back, err := store.Withdraw(ctx, store.As(m.Scoped, engine.Operation(m, hippo.VerbImport)), w)
	for _, x := range gone {
		out.Gone = append(out.Gone, x.Project)
	}
	for _, x := range back {
		out.Back = append(out.Back, x.Project)
	}
	return out, err
}

// begin prepares an import, and checks the right to it.
func (x *importer) begin(ctx context.Context) error {
	t := &x.transfer
	if _, err := engine.Perform(ctx, t.memories, importArgs{Preview: true}, "import_batch", importBatch); err != nil || !t.logged {
		return err
	}
	op := t.memories.Op
	if op.ID.IsZero() {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		op.ID = hippo.ID(id)
	}
	op.By.URI = shorten(t.source.Path)
	t.memories = engine.As(t.memories, op)
	x.added, x.before, x.broken = make(map[section]int), make(map[string]int), make(map[string]bool)
	if t.source.Path == "" || t.source.Whole == nil {
		return nil
	}
	list, err := engine.Perform(ctx, t.memories, saidArgs{t.source.Path}, "said_before", saidBefore)
	x.said, x.lost = make(map[hippo.ID]*store.Said, len(list)), make(map[section][]*store.Said)
	for i := range list {
		s := &list[i]
		if x.said[s.ID] = s; s.Forgotten {
			k := sectionOf(s.File, s.Section, s.Type)
			x.lost[k] = append(x.lost[k], s)
		}
	}
	return err
}

// shorten cuts a path that is too long for an operation, at its beginning.
func shorten(path string) string {
	if n := len(path) - hippo.MaxName; n > 0 {
		path = strings.ToValidUTF8(path[n:], "")
	}
	return path
}

// follow forgets what the source does not say any more. It does so only for files that were read, and stored, without an error.
func (x *importer) follow(ctx context.Context) error {
	if x.said == nil {
		return nil
	}
	for _, h := range x.held {
		if x.said[h.former.ID] != nil { // the source does not say that one any more
			x.report.Forgotten++
			continue
		}
		if err := x.take(ctx, h.memory); err != nil {
			return err
		}
	}
	if err := x.flush(ctx); err != nil {
		return err
	}
	var gone []hippo.ID
	whole := x.transfer.source.Whole()
	for id, s := range x.said {
		switch {
		case s.Forgotten || x.broken[s.File] || !slices.Contains(whole, s.File):
			delete(x.said, id)
		case s.Changed:
			x.report.Stale++
			delete(x.said, id)
		default:
			gone = append(gone, id)
		}
	}
	slices.SortFunc(gone, hippo.ID.Compare)
	return x.withdraw(ctx, gone)
}

// withdraw forgets memories, and counts as updated those in whose place their section has a new one.
func (x *importer) withdraw(ctx context.Context, gone []hippo.ID) error {
	for some := range slices.Chunk(gone, maxImportBatch) {
		n := len(some)
		if !x.transfer.preview {
			done, err := engine.Perform(ctx, x.transfer.memories, withdrawArgs{some, x.before}, "withdraw", withdraw)
			if err != nil {
				return err
			}
			for _, p := range slices.Concat(done.Gone, done.Back) {
				x.before[p]++
			}
			if n = len(done.Gone); n > 0 {
				x.report.Operation = x.transfer.memories.Op.ID
			}
		}
		x.report.Gone += n
	}
	for _, id := range gone {
		s := x.said[id]
		if k := sectionOf(s.File, s.Section, s.Type); x.added[k] > 0 && x.report.Added > 0 && x.report.Gone > 0 {
			x.added[k]--
			x.report.Added, x.report.Updated, x.report.Gone = x.report.Added-1, x.report.Updated+1, x.report.Gone-1
		}
	}
	return nil
}
