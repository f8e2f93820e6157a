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

// A part is what is taken over in one transaction, while no other program can write: partSize new rows, or as many as can be
// taken over within partTime, and chunkSize of them at least. After a part the file is free for half as long as it took, and
// maxPause at most: SQLite asks for a lock every 100 ms when it waits, and would find the file locked each time.
const (
	partSize  = 2048
	chunkSize = 256
	partTime  = 150 * time.Millisecond
	maxPause  = partTime
)

// compareEvery is after how many parts all rows are compared, for what others did meanwhile.
const compareEvery = 4

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
	if err := takeAll(ctx, s); err != nil {
		return err
	}
	return sweep(ctx, s)
}

// takeAll takes over all that is left, in parts.
func takeAll(ctx context.Context, s *Store) (err error) {
	took := partTime // the part before these may just have ended
	for n := 1; left(s) > 0; n++ {
		select {
		case <-time.After(min(took/2, maxPause)):
		case <-ctx.Done():
			return ctx.Err()
		}
		if took, err = takePart(ctx, s); err == nil && n%compareEvery == 0 {
			err = catchUp(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takePart takes over a part of what is left, and says how long others could not write. After the last one it applies what needs
// all rows.
func takePart(ctx context.Context, s *Store) (took time.Duration, err error) {
	err = transact(ctx, s, nil, func(g *group) error {
		began := s.now()
		err := g.takePart(ctx, func() bool { return s.now().Sub(began) >= partTime })
		took = s.now().Sub(began)
		return err
	})
	if err == nil && left(s) == 0 {
		err = catchUp(ctx, s)
	}
	return took, err
}

// sweep mends what the other programs derive from their rows. It removes the vectors of rows that are not there or are deleted:
// they would take the places of others among the nearest. It builds a full-text index again that lacks rows: the other program
// would not find them, and reports success all the same.
func sweep(ctx context.Context, s *Store) error {
	last := s.seen.Load()
	if last == nil {
		return nil
	}
	var err error
	if last.layout.dimension > 0 {
		err = repair(ctx, s, orphans, "DELETE FROM memory_embeddings WHERE rowid IN ("+orphans+")")
	}
	if last.layout.documents {
		err = errors.Join(err, repair(ctx, s, unlisted, "INSERT INTO memory_content_fts (memory_content_fts) VALUES ('rebuild')"))
	}
	return err
}

// repair runs a statement if a query finds something.
func repair(ctx context.Context, s *Store, query, statement string) error {
	found := 0
	err := s.inner.DB().View(ctx, func(f *sqlitex.File) error {
		_, err := sqlitex.First(ctx, f, "SELECT count(*) FROM ("+query+")", nil, &found)
		return err
	})
	if err != nil || found == 0 {
		return err
	}
	return s.inner.DB().Update(ctx, driver.Lazy, func(q *sqlitex.Tx) error { return q.Exec(statement) })
}

// orphans finds the vectors of rows that are not there or are deleted.
const orphans = `SELECT v.rowid FROM memory_embeddings_rowids v
	WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = v.rowid AND m.deleted_at IS NULL)`

// unlisted finds the rows that the full-text index lacks.
const unlisted = `SELECT m.id FROM memories m WHERE NOT EXISTS (SELECT 1 FROM memory_content_fts_docsize d WHERE d.id = m.id)`

// takePart takes over the last of the rows that are left, until it is time to end.
func (g *group) takePart(ctx context.Context, end func() bool) error {
	t := g.Begin(ctx)
	c := g.reconciler(t)
	err := t.WithCache(cacheOfPart, func() error {
		for n := 0; n < partSize && len(g.seen.left) > 0 && (n == 0 || !end()); n += chunkSize {
			first := max(0, len(g.seen.left)-chunkSize)
			if err := addRows(ctx, c, g.seen.left[first:]); err != nil {
				return err
			}
			g.seen.left = g.seen.left[:first]
		}
		return applySuccessors(c)
	})
	if len(g.seen.left) == 0 {
		g.seen.version = uncompared // for edges, and successors that came later
	}
	g.Keep(t)
	return err
}
