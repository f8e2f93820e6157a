package app

import (
	"context"
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// without returns the content to restore in a store: that of the backup, without the memories that the store has purged, unless BringBack is
// set.
func (b *OpenedBackup) without(ctx context.Context, to driver.Backend) (*leftOut, error) {
	w := &leftOut{Backend: b.copy, ids: make(map[hippo.ID]bool)}
	if b.BringBack {
		return w, nil
	}
	var ids []hippo.ID
	for c, err := range b.copy.Changes(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if c.Memory != nil {
			ids = append(ids, c.ID)
		}
	}
	for some := range slices.Chunk(ids, copyBatch) {
		purged, err := to.Purged(ctx, some)
		if err != nil {
			return nil, err
		}
		w.leave(purged)
	}
	return w, nil
}

// leftOut hides some memories of a back end from a [replacement].
type leftOut struct {
	driver.Backend
	ids map[hippo.ID]bool
}

func (l *leftOut) leave(purged []hippo.ID) {
	for _, id := range purged {
		l.ids[id] = true
	}
}

// Changes implements [driver.Backend].
func (l *leftOut) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		for c, err := range l.Backend.Changes(ctx, since) {
			if !l.ids[c.ID] && !yield(c, err) {
				return
			}
		}
	}
}

// AllRelations implements [driver.Relations].
func (l *leftOut) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		for r, err := range l.Backend.AllRelations(ctx) {
			if !l.ids[r.From] && !l.ids[r.To] && !yield(r, err) {
				return
			}
		}
	}
}
