package agents

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/cited"
	"github.com/hippo-memory/hippo/internal/agents/syncfile"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

// DefaultSyncBytes is the default size limit of the block that [Runner.SyncFile] writes.
const DefaultSyncBytes = syncfile.DefaultBudget

// SyncOptions say how to sync a file.
type SyncOptions struct {
	// MaxBytes is the size limit of the block.
	MaxBytes int
	// DryRun changes neither the file nor the store.
	DryRun bool
	// Project is the one that the caller names; blank: that of the folder of the file.
	Project string
}

// Synced is what a sync did.
type Synced struct{ syncfile.Report }

// SyncFile keeps a block of a file equal to what matters most, and reads back what people edit there. What was done is reported also beside an
// error.
func (r *Runner) SyncFile(ctx context.Context, path string, o SyncOptions) (out Synced, err error) {
	full, err := config.Expand("file", path)
	if err == nil {
		err = app.Apart(r.Config.Store, full)
	}
	if err != nil {
		return out, err
	}
	dir := filepath.Dir(full)
	if _, off := r.Excluded(ctx, dir); off != "" {
		return out, fmt.Errorf("%w: %s: injection is off in this folder by the setting exclude: %s; nothing was read or written", hippo.ErrInvalid, full, off)
	}
	e, err := app.Open(ctx, r.Config, &app.Options{Repositories: app.Repositories(), Now: r.Now, Log: r.Log})
	if err != nil {
		return out, err
	}
	out.Report, err = r.syncIn(ctx, e, full, o)
	return out, errors.Join(err, e.Close())
}

func (r *Runner) syncIn(ctx context.Context, e *engine.Engine, path string, o SyncOptions) (syncfile.Report, error) {
	m, err := app.Located(ctx, r.Config, e.In(app.Scope(r.Config)), o.Project, filepath.Dir(path))
	if err != nil {
		return syncfile.Report{}, err
	}
	scope, _ := engine.CallerOf(m)
	return syncfile.Sync(ctx, m, path, syncfile.Options{Budget: o.MaxBytes, Now: r.Now(), Project: scope.Project, DryRun: o.DryRun})
}

// NamesFile reports whether a memory of a project names a file.
func NamesFile(m *hippo.Memory) bool { return m.Project != "" && len(cited.Paths(m.Content)) > 0 }

// MissingFiles returns the function that says which of the files that a memory names a working tree, which is that of a project with some names,
// does not have; empty: none. It is for one page of memories.
func MissingFiles(tree string, names ...string) func(*hippo.Memory) string {
	trees := make(cited.Trees)
	trees.Add(tree, names...)
	check := cited.NewCheck(trees)
	return func(m *hippo.Memory) string { return cited.Note(check.Missing(m)) }
}
