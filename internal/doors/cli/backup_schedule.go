package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
)

// backupPlan says when a server backs its store up.
type backupPlan struct {
	every time.Duration
	keep  int
	dir   string
}

const (
	// minBackupInterval bounds what backups cost.
	minBackupInterval = time.Minute
	// backupLayout is the name of a scheduled backup, in UTC; names sort by time.
	backupLayout = "hippo-20060102T150405Z.db"
)

func (p *backupPlan) add(f *pflag.FlagSet) {
	f.DurationVar(&p.every, "backup-every", 0, "with --http: the interval between backups, such as 24h; 0 for none")
	f.IntVar(&p.keep, "backup-keep", 7, "the number of backups to keep")
	addPath(f, &p.dir, "backup-dir", "the folder of the backups (default: backups beside the store)")
}

func (p *backupPlan) validate(store config.Store) error {
	if p.every == 0 {
		return nil
	}
	if _, err := p.folder(store); err != nil {
		return err
	}
	switch {
	case p.every < minBackupInterval:
		return usagef("--backup-every must be at least %v, got %v", minBackupInterval, p.every)
	case p.keep < 1:
		return usagef("--backup-keep must be at least 1, got %d", p.keep)
	}
	return nil
}

// folder returns where the backups of a store are.
func (p *backupPlan) folder(store config.Store) (string, error) {
	switch {
	case p.dir != "":
		return p.dir, nil
	case store.Kind == "memory":
		return "", hippo.Fieldf("backup-dir", "is required for a store in memory")
	}
	return filepath.Join(filepath.Dir(store.Path), "backups"), nil
}

var backupName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^hippo-\d{8}T\d{6}Z\.db$`) }) //nolint:gochecknoglobals // compiled when it is first used

// list returns the names of the scheduled backups in a folder, the oldest first. Other files are never touched.
func (*backupPlan) list(dir string) ([]string, error) {
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
func (p *backupPlan) due(dir string, now time.Time) time.Duration {
	names, err := p.list(dir)
	if err != nil || len(names) == 0 {
		return 0
	}
	last, err := time.Parse(backupLayout, names[len(names)-1])
	if err != nil {
		return 0
	}
	return min(p.every, max(0, last.Add(p.every).Sub(now)))
}

// run writes a backup, and then removes the oldest beyond those to keep.
func (p *backupPlan) run(ctx context.Context, store config.Store, dir string, o *app.Options) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, o.Now().UTC().Format(backupLayout))
	r, err := app.Backup(ctx, store, path, false, o)
	if err != nil {
		return err
	}
	o.Log.Info("backed up", "path", path, "memories", r.Memories, "unreadable", len(r.Problems))
	names, err := p.list(dir)
	for _, name := range names[:max(0, len(names)-p.keep)] {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// repeat writes scheduled backups until ctx ends, and closes what it returns then. It does nothing if none are asked for.
func (p *backupPlan) repeat(ctx context.Context, store config.Store, o *app.Options) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		dir, err := p.folder(store)
		if err != nil || p.every == 0 {
			return // validate has reported it
		}
		wait := p.due(dir, o.Now())
		for {
			t := time.NewTimer(wait)
			select {
			case <-ctx.Done():
				t.Stop()
				return
			case <-t.C:
			}
			if err := p.run(ctx, store, dir, o); err != nil && ctx.Err() == nil {
				o.Log.Error("scheduled backup failed", "error", err)
			}
			wait = p.every
		}
	}()
	return done
}
