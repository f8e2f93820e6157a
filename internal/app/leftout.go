package app

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// beforeRestore separates the path of a store from the time in the name of the copy that a restore saves.
const beforeRestore = ".before-restore-"

// restored is the content of a backup. If whole is set, a restore also brings back the memories that the store purged since.
type restored struct {
	driver.Backend
	whole bool
}

// from returns the content to restore in a store. A restore removes the memories that its backup lacks, which leaves the same marks as a
// purge. The copy that a restore saved is therefore restored whole.
func (b *OpenedBackup) from(c config.Store) restored {
	return restored{b.copy, b.BringBack || strings.HasPrefix(b.path, c.Path+beforeRestore)}
}

// without returns the content without the memories that a store has purged, or all of it if whole is set.
func (r restored) without(ctx context.Context, to driver.Backend) (w leftOut, err error) {
	w = leftOut{r.Backend, make(map[hippo.ID]bool)}
	if r.whole {
		return w, nil
	}
	var ids []hippo.ID
	for c, err := range r.Changes(ctx, 0) {
		if err != nil {
			return w, err
		}
		if c.Memory != nil {
			ids = append(ids, c.ID)
		}
	}
	for some := range slices.Chunk(ids, copyBatch) {
		purged, err := to.Purged(ctx, some)
		if err != nil {
			return w, err
		}
		for _, id := range purged {
			w.ids[id] = true
		}
	}
	return w, nil
}

// leftOut hides some memories of a back end from [replaceAll].
type leftOut struct {
	driver.Backend
	ids map[hippo.ID]bool
}

// Changes implements [driver.Backend].
func (l leftOut) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		for c, err := range l.Backend.Changes(ctx, since) {
			if !l.ids[c.ID] && !yield(c, err) {
				return
			}
		}
	}
}

// AllRelations implements [driver.Relations].
func (l leftOut) AllRelations(ctx context.Context) iter.Seq2[hippo.Relation, error] {
	return func(yield func(hippo.Relation, error) bool) {
		for r, err := range l.Backend.AllRelations(ctx) {
			if !l.ids[r.From] && !l.ids[r.To] && !yield(r, err) {
				return
			}
		}
	}
}
