package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// BackupReport describes a backup.
type BackupReport struct {
	Memories  int
	Forgotten int
	Relations int
	// Problems are memories that cannot be read, in the store or in the backup.
	Problems []api.StoreProblem
}

// Backup writes all of a store, as it is at one moment, into one SQLite file, which can be
// opened as a store. Other processes may use the store meanwhile. The file appears under
// its name when it is whole, checked and flushed to the disk; one that exists is replaced
// only if force is set, else it is [hippo.ErrConflict].
func Backup(ctx context.Context, c config.Store, path string, force bool, o *Options) (r BackupReport, err error) {
	if o == nil {
		o = &Options{}
	}
	if err := Apart(c, path); err != nil {
		return r, err
	}
	if !force {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return r, fmt.Errorf("%w: %s exists: give another name, or --force to replace it", hippo.ErrConflict, path)
		}
	}
	b, _, err := openBackend(ctx, c, o)
	if err != nil {
		return r, err
	}
	r, err = backup(ctx, b, path)
	return r, errors.Join(err, b.Close())
}

func backup(ctx context.Context, b driver.Backend, path string) (r BackupReport, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return r, fmt.Errorf("%w: backup: %w", hippo.ErrUnavailable, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "backup.db")
	if err := r.write(ctx, b, dir, file); err != nil {
		return r, err
	}
	if err := r.verify(ctx, file, path); err != nil {
		return r, err
	}
	return r, publish(file, path)
}

// write writes a back end to a SQLite file; dir is for temporary files.
func (r *BackupReport) write(ctx context.Context, b driver.Backend, dir, file string) (err error) {
	if s, ok := b.(*sqlitestore.Store); ok {
		return s.CopyTo(ctx, file)
	}
	if r.Problems, err = b.Problems(ctx); err != nil {
		return err
	}
	s, err := sqlitestore.Open(ctx, filepath.Join(dir, "copy.db"), nil)
	if err != nil {
		return err
	}
	if err = (&replacement{from: &leftOut{Backend: b}, to: s}).run(ctx); err == nil {
		err = s.CopyTo(ctx, file)
	}
	return errors.Join(err, s.Close())
}

// verify reads all of a SQLite file. Memories that cannot be read are reported, with the path that
// the file will have.
func (r *BackupReport) verify(ctx context.Context, file, path string) error {
	s, err := sqlitestore.Open(ctx, file, &sqlitestore.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	ps, err := s.Check(ctx)
	h, herr := s.Head(ctx)
	r.Memories, r.Forgotten, r.Relations, r.Problems = h.Memories-h.Forgotten, h.Forgotten, h.Relations, append(r.Problems, locate(ps, file, path)...)
	return errors.Join(err, herr, s.Damaged(ctx), s.Close())
}

// locate returns the problems of a temporary file as those of the file that it is a copy of.
func locate(ps []api.StoreProblem, temporary, path string) []api.StoreProblem {
	for i := range ps {
		if ps[i].Path == temporary {
			ps[i].Path = path
		}
		ps[i].Err = strings.ReplaceAll(ps[i].Err, temporary, path)
	}
	return ps
}

// publish gives a complete backup its name.
func publish(file, path string) error {
	_ = os.Chmod(file, 0o600) // some file systems have no permissions, and refuse to set them
	if err := atomicfile.Publish(file, path); err != nil {
		return fmt.Errorf("%w: backup: %w", hippo.ErrUnavailable, err)
	}
	return nil
}
