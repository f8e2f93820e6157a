package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
)

// Backups says when a server backs its store up.
type Backups struct {
	Every time.Duration // 0: never
	Keep  int           // the number of backups to keep
	Dir   string        // empty: backups beside the store
}

const (
	// minBackupInterval bounds what backups cost.
	minBackupInterval = time.Minute
	// backupLayout is the name of a scheduled backup, in UTC; names sort by time.
	backupLayout = "hippo-20060102T150405Z.db"
)

func (b *Backups) validate(store config.Store) error {
	if b.Every == 0 {
		return nil
	}
	if _, err := b.folder(store); err != nil {
		return err
	}
	switch {
	case b.Every < minBackupInterval:
		return optionf("--backup-every must be at least %v, got %v", minBackupInterval, b.Every)
	case b.Keep < 1:
		return optionf("--backup-keep must be at least 1, got %d", b.Keep)
	}
	return nil
}

// folder returns where the backups of a store are.
func (b *Backups) folder(store config.Store) (string, error) {
	switch {
	case b.Dir != "":
		return b.Dir, nil
	case store.Kind == "memory":
		return "", hippo.Fieldf("backup-dir", "is required for a store in memory")
	}
	return filepath.Join(filepath.Dir(store.Path), "backups"), nil
}

var backupName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^hippo-\d{8}T\d{6}Z\.db$`) }) //nolint:gochecknoglobals // compiled when it is first used

// list returns the names of the scheduled backups in a folder, the oldest first. Other files are never touched.
func (*Backups) list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && backupName().MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// due returns how long to wait for the next backup: a restart of the server neither repeats nor delays one.
func (b *Backups) due(dir string, now time.Time) time.Duration {
	names, err := b.list(dir)
	if err != nil || len(names) == 0 {
		return 0
	}
	last, err := time.Parse(backupLayout, names[len(names)-1])
	if err != nil {
		return 0
	}
	return min(b.Every, max(0, last.Add(b.Every).Sub(now)))
}

// run writes a backup, and then removes the oldest beyond those to keep.
func (b *Backups) run(ctx context.Context, store config.Store, dir string, o *app.Options) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, o.Now().UTC().Format(backupLayout))
	r, err := app.Backup(ctx, store, path, false, o)
	if err != nil {
		return err
	}
	o.Log.Info("backed up", "path", path, "memories", r.Memories, "unreadable", len(r.Problems))
	names, err := b.list(dir)
	for _, name := range names[:max(0, len(names)-b.Keep)] {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// repeat writes scheduled backups until ctx ends, and closes what it returns then. It does nothing if none are asked for.
func (b *Backups) repeat(ctx context.Context, store config.Store, o *app.Options) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		dir, err := b.folder(store)
		if err != nil || b.Every == 0 {
			return // validate has reported it
		}
		wait := b.due(dir, o.Now())
		for {
			t := time.NewTimer(wait)
			select {
			case <-ctx.Done():
				t.Stop()
				return
			case <-t.C:
			}
			if err := b.run(ctx, store, dir, o); err != nil && ctx.Err() == nil {
				o.Log.Error("scheduled backup failed", "error", err)
			}
			wait = b.Every
		}
	}()
	return done
}
