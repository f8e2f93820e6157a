package dirstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// replica holds all memories in a SQLite file, for reading.
type replica struct {
	store *sqlitestore.Store
	path  string
	// private is a temporary folder for the file; empty if it is in the directory.
	private string
	log     *slog.Logger

	// compared is the file that was compared with all files of memories.
	compared atomic.Pointer[os.FileInfo]
	// stale: a commit may have changed files and not the replica.
	stale atomic.Bool
	// skip: commits may have been lost, with their revisions; the next comparison skips some.
	skip atomic.Bool
}

// openReplica opens the replica of a directory. If the directory cannot be written it is
// a private file.
func openReplica(ctx context.Context, d *directory, log *slog.Logger) (*replica, error) {
	r := &replica{path: d.full(derivedName), log: log}
	r.skip.Store(true)
	if d.readOnly != nil {
		var err error
		if r.private, err = os.MkdirTemp("", "hippo-"); err != nil {
			return nil, d.readOnly
		}
		r.path = filepath.Join(r.private, "derived.db")
		if sqlitestore.CopyFile(ctx, d.full(derivedName), r.path) != nil {
			_ = os.Remove(r.path) // it is built from the files
		}
	}
	var err error
	if r.store, err = r.open(ctx); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *replica) open(ctx context.Context) (*sqlitestore.Store, error) {
	return sqlitestore.OpenDerived(ctx, r.path, sqlitex.Derived{Version: tablesVersion, SQL: tables}, rereadAll, r.log)
}

func (r *replica) close() error {
	var errs []error
	if r.store != nil {
		errs = append(errs, r.store.Close())
	}
	if r.private != "" {
		errs = append(errs, os.RemoveAll(r.private))
	}
	return errors.Join(errs...)
}

// ensure creates the file if it was deleted; the store opens it with its next call.
func (r *replica) ensure(ctx context.Context) error {
	if _, err := os.Lstat(r.path); err == nil {
		return nil
	}
	s, err := r.open(ctx)
	if err != nil {
		return err
	}
	return s.Close()
}

// current reports whether the file was compared with all files of memories, and no commit
// failed since.
func (r *replica) current() bool { return !r.stale.Load() && r.inPlace() }

// inPlace reports whether the file at the path is the one that was compared.
func (r *replica) inPlace() bool {
	at, err := os.Lstat(r.path)
	compared := r.compared.Load()
	return err == nil && compared != nil && os.SameFile(at, *compared)
}

// filled reports whether it was compared with all files once, by some process.
func (r *replica) filled(ctx context.Context) bool {
	h, err := r.store.Head(ctx)
	return err == nil && h.Revision > 0
}

// compare calls fn, which brings the replica up to date with all files. fresh: it is empty.
func (r *replica) compare(ctx context.Context, fn func(fresh bool) error) error {
	at, err := os.Lstat(r.path)
	if err != nil {
		return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	h, err := r.store.Head(ctx)
	if err != nil {
		return err
	}
	r.stale.Store(false)
	if err := fn(h.Revision == 0); err != nil {
		r.stale.Store(true)
		return err
	}
	r.compared.Store(&at)
	return nil
}

// invalidate demands a comparison with all files before the next call, because a commit failed
// that had changed files. The revisions of that commit are skipped.
func (r *replica) invalidate() {
	r.skip.Store(true)
	r.stale.Store(true)
}

// errDamagedText means that the replica has another text than was stored.
var errDamagedText = fmt.Errorf("%w: the text of a memory does not have its hash", hippo.ErrCorrupt)

// checkTexts returns [errDamagedText] if the hash of a text is wrong: the pages of SQLite have no
// checksums. Cost: 1 us for each KiB.
func checkTexts(ms []*hippo.Memory) error {
	for _, m := range ms {
		if hippo.HashContent(m.Content) != m.ContentHash {
			return fmt.Errorf("%w: %s", errDamagedText, m.ID)
		}
	}
	return nil
}

// lost reports whether an error means that the replica has to be rebuilt. A damaged one is
// removed.
func (r *replica) lost(err error) bool {
	if errors.Is(err, hippo.ErrCorrupt) || sqlitex.Lost(err) {
		r.log.Warn("the replica of the memories is damaged and is rebuilt", "file", r.path, "error", err)
		return sqlitex.Remove(r.path) == nil
	}
	return !r.inPlace()
}
