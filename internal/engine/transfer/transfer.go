package transfer

import (
	"context"
	"errors"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
)

// Import adds the memories of a source to the scope, in its namespace; see
// [store.Scoped.Import] for what happens to active days. An entry that comes with an error, is
// not valid, seems to hold a secret, belongs to a project outside of the scope, or has an ID that is in use outside of
// it, is rejected and the rest goes on. The report is right also when the error is not nil:
// what it counts as added is durable. progress, if not nil, is called with the number of
// entries done after each batch. What was imported is indexed and embedded at last.
func (t Transfer) Import(ctx context.Context, cal hippo.Calendar, entries iter.Seq2[*hippo.Memory, error], progress func(done int)) (api.ImportReport, error) {
	x := importer{transfer: t, calendar: cal, progress: progress}
	if err := x.begin(ctx); err != nil { // before the source is read
		return x.report, err
	}
	for m, err := range entries {
		if err := x.add(ctx, m, err); err != nil {
			return x.sorted(), err
		}
	}
	err := errors.Join(x.flush(ctx), ctx.Err())
	if err == nil {
		err = x.follow(ctx)
	}
	if err == nil && !t.preview {
		_ = finishImport(ctx, t.memories) // what fails the next search does, and reports
	}
	return x.sorted(), err
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
	if x.holds(m) {
		return nil
	}
	return x.take(ctx, m)
}

// finishImport makes what was imported ready for searches.
func finishImport(ctx context.Context, m *engine.Memories) error {
	_, err := engine.Perform(ctx, m, engine.None{}, "index_imported", indexImported)
	return err
}

// indexImported indexes what was imported, and embeds it with the instant models.
func indexImported(ctx context.Context, m *engine.Memories, _ engine.None) (engine.None, error) {
	return engine.None{}, m.Indexed(ctx, func() error {
		m.Embedding.EmbedInstant(ctx)
		return nil
	})
}
