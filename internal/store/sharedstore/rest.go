package sharedstore

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// partSize is how many new rows are taken over in one transaction, in 0.2 s on one core: a write waits as long.
const partSize = 2048

// cacheOfPart is the room for pages while a part is taken over, in bytes. Its rows go to pages all over the file: with
// 1 MiB a file of 100,000 takes half as long again.
const cacheOfPart = 32 << 20

// retryPart is how long it takes until a part is tried again, such as one that another program did not let be written.
const retryPart = time.Second

// rest takes over in the background what is left. The zero value takes over nothing.
type rest struct {
	fn  func(context.Context) error
	log *slog.Logger

	mu      sync.Mutex // guards what follows
	cancel  context.CancelFunc
	busy    bool
	closed  bool
	running sync.WaitGroup
}

// take starts a goroutine that takes over the rest, unless one does. false: none ever does.
func (r *rest) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fn == nil || r.closed {
		return false
	}
	if r.busy {
		return true
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.busy, r.cancel = true, cancel
	r.running.Go(func() {
		defer cancel()
		for err := r.fn(ctx); err != nil && ctx.Err() == nil; err = r.fn(ctx) {
			if r.log != nil {
				r.log.Warn("rows of another program are not taken over yet", "error", err)
			}
			select {
			case <-time.After(retryPart):
			case <-ctx.Done():
			}
			if !errors.Is(err, hippo.ErrUnavailable) {
				break // the next read tries again
			}
		}
		r.mu.Lock()
		r.busy = false
		r.mu.Unlock()
	})
	return true
}

// end ends it after the part that is being taken over.
func (r *rest) end() {
	r.mu.Lock()
	r.closed = true
	if r.busy {
		r.cancel()
	}
	r.mu.Unlock()
	r.running.Wait()
}

// left is how many rows are left.
func left(s *Store) int {
	if last := s.seen.Load(); last != nil {
		return len(last.left)
	}
	return 0
}

// takeRest takes over all that is left, and tidies up.
func takeRest(ctx context.Context, s *Store) error {
	for left(s) > 0 {
		if err := s.update(ctx); err != nil {
			return err
		}
	}
	return sweep(ctx, s)
}

// sweep removes the vectors of rows that are not there or are deleted: they would take the places of others among the
// nearest.
func sweep(ctx context.Context, s *Store) error {
	last, found := s.seen.Load(), 0
	if last == nil || last.layout.dimension == 0 {
		return nil
	}
	err := s.inner.DB().View(ctx, func(f *sqlitex.File) error {
		_, err := sqlitex.First(ctx, f, "SELECT count(*) FROM ("+orphans+")", nil, &found)
		return err
	})
	if err != nil || found == 0 {
		return err
	}
	return s.inner.DB().Update(ctx, driver.Lazy, func(q *sqlitex.Tx) error {
		return q.Exec("DELETE FROM memory_embeddings WHERE rowid IN (" + orphans + ")")
	})
}

// orphans finds the vectors of rows that are not there or are deleted.
const orphans = `SELECT v.rowid FROM memory_embeddings_rowids v
	WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = v.rowid AND m.deleted_at IS NULL)`

// takePart takes over the last of the rows that are left; with the last part comes what needs all rows.
func (g *group) takePart(ctx context.Context) error {
	n := len(g.seen.left)
	if n == 0 {
		return nil
	}
	part := g.seen.left[max(0, n-partSize):]
	t := g.Begin(ctx)
	c := g.reconciler(t)
	err := t.WithCache(cacheOfPart, func() error { return errors.Join(addRows(ctx, c, part), succeed(c)) })
	if g.seen.left = g.seen.left[:n-len(part)]; err == nil && len(g.seen.left) == 0 {
		err = g.reconciler(t).run(ctx)
	}
	g.Keep(t)
	return err
}
