package dirstore

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

const (
	// batchSize is how many files are reconciled in one transaction, which bounds its RAM.
	batchSize = 1000
	// lostRevisions is more than a crash of the machine can undo: the replica is not flushed.
	lostRevisions = 1 << 20
)

// synchronizer brings the replica up to date with the files.
type synchronizer struct {
	dir     *directory
	replica *replica
	life    *lifetime
	now     func() time.Time
	log     *slog.Logger
	retries chan struct{} // asks the watcher for another comparison of all files

	mu        sync.Mutex            // held while the replica is recovered
	relations atomic.Pointer[stamp] // of relations.jsonl as it was read
}

// current ensures that the replica exists and was compared with all files, and reads
// relations.jsonl if it was changed. Cost: two system calls; one for each file if the
// directory cannot be written, because commits of other processes cannot be noticed otherwise.
func (s *synchronizer) current(ctx context.Context) error {
	return s.life.explain(s.update(ctx))
}

func (s *synchronizer) update(ctx context.Context) error {
	if err := s.life.check(ctx); err != nil {
		return err
	}
	if s.dir.readOnly != nil {
		return s.sync(ctx, nil, false)
	}
	for last := false; !s.replica.current(); last = true {
		if err := s.recover(ctx); err != nil && (last || !s.replica.lost(err)) {
			return err
		}
	}
	st, err := s.dir.stat(relationsName)
	if err != nil {
		st = stamp{}
	}
	if read := s.relations.Load(); read != nil && *read == st {
		return nil
	}
	if err := s.sync(ctx, []string{relationsName}, false); err != nil {
		return err
	}
	s.relations.Store(&st)
	return nil
}

// recover brings the replica up to date with all files. If .hippo was deleted it begins with an
// empty one; if the whole directory was replaced, it continues with the new directory.
func (s *synchronizer) recover(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replica.current() {
		return nil
	}
	if err := s.dir.open(); err != nil {
		return err
	}
	if s.dir.readOnly == nil {
		if err := makeState(s.dir); err != nil {
			return err
		}
		if err := s.replica.ensure(ctx); err != nil {
			return err
		}
	}
	return s.replica.compare(ctx, func(fresh bool) error {
		if err := s.sync(ctx, nil, false); err != nil || !fresh {
			return err
		}
		return s.guessDay(ctx)
	})
}

// guessDay makes the newest use of a memory the active day of a new replica, if no file has
// another.
func (s *synchronizer) guessDay(ctx context.Context) error {
	if h, err := s.replica.store.Head(ctx); err != nil || h.Calendar.Day > 0 || h.Memories == 0 {
		return err
	}
	return s.transact(ctx, func(t *tx) error {
		day, err := newestDay(t)
		if err == nil && day > 0 {
			err = t.Tx.SetCalendar(driver.Calendar{Day: day})
		}
		return err
	})
}

// read calls fn, which reads the replica. fn is called again if the replica was deleted or is damaged.
func (s *synchronizer) read(ctx context.Context, fn func() error) error {
	for last := false; ; last = true {
		if err := s.readable(ctx); err != nil {
			return err
		}
		err := fn()
		if err == nil || last || !s.replica.lost(err) {
			return s.life.explain(err)
		}
	}
}

// readable is [synchronizer.current] for reads. On a full disk, and while another process holds the lock, the replica is read as it
// was compared last, because what others changed since cannot be entered.
func (s *synchronizer) readable(ctx context.Context) error {
	err := s.current(sqlitex.Briefly(ctx))
	switch {
	case err == nil, errors.Is(err, hippo.ErrFull) && s.replica.inPlace(), sqlitex.Held(err) && s.replica.filled(ctx):
		return nil
	case sqlitex.Held(err):
		return s.current(ctx)
	default:
		return err
	}
}

// writable returns why nothing can be written; nil if it can.
func (s *synchronizer) writable(ctx context.Context) error {
	if err := s.life.check(ctx); err != nil {
		return err
	}
	if s.dir.readOnly != nil {
		return s.dir.readOnly
	}
	return s.current(ctx)
}

// write calls fn, which writes the replica. If the replica is damaged it is rebuilt, and fn is called again if repeatable allows it.
func (s *synchronizer) write(ctx context.Context, fn func() error, repeatable func() bool) error {
	err := fn()
	if err != nil && s.replica.lost(err) && errors.Is(err, hippo.ErrCorrupt) && repeatable() {
		if err := s.writable(ctx); err != nil { // which rebuilds the replica
			return err
		}
		if err = fn(); err != nil {
			s.replica.lost(err)
		}
	}
	return s.life.explain(err)
}

// sync applies to the replica what other programs did to the files with these names, or to all
// if names is nil. Most of the time they did nothing, and no transaction is needed.
// ignoreStamps: the contents of all files are compared, also of those whose stamp is the known one.
func (s *synchronizer) sync(ctx context.Context, names []string, ignoreStamps bool) error {
	skip := hippo.Revision(0)
	recount := false
	var err error
	if names != nil {
		names, err = s.changed(ctx, slices.DeleteFunc(names, func(name string) bool { return !managed(name) }))
	} else {
		if names, recount, err = s.changedFiles(ctx, ignoreStamps); err == nil && s.replica.skip.CompareAndSwap(true, false) {
			skip = lostRevisions
		}
	}
	if err != nil {
		return err
	}
	slices.Sort(names)
	if len(names) == 0 && recount { // the hash is wrong although no stamp is
		return s.transact(ctx, func(t *tx) error { t.group.recount = true; return nil })
	}
	for part := range slices.Chunk(names, batchSize) {
		err := s.transact(ctx, func(t *tx) error {
			r := &reconciler{tx: t, ignoreStamps: ignoreStamps, settle: true, skip: skip}
			return r.reconcile(part)
		})
		if err != nil {
			s.replica.skip.CompareAndSwap(false, skip > 0)
			return err
		}
		skip = 0
	}
	return nil
}

// changedFiles returns the files that may have been changed. recount: the stored hash of the
// directory is wrong.
func (s *synchronizer) changedFiles(ctx context.Context, ignoreStamps bool) (names []string, recount bool, err error) {
	present, err := listFiles(s.dir)
	if err != nil {
		return nil, false, err
	}
	hash := int64(0)
	for name, st := range present {
		hash += st.hash(name)
	}
	maybe := make(map[string]bool)
	err = s.replica.store.DB().View(ctx, func(f *sqlitex.File) error {
		stored := int64(0)
		if _, err := sqlitex.First(ctx, f, "SELECT hash FROM directory", nil, &stored); err != nil {
			return err
		}
		if stored == hash && !ignoreStamps {
			return selectEntries(ctx, f, " WHERE recent OR fault IS NOT NULL", nil, func(e entry) { maybe[e.name] = true })
		}
		recount = stored != hash
		for name := range present {
			maybe[name] = true
		}
		return selectEntries(ctx, f, "", nil, func(e entry) {
			if st, ok := present[e.name]; ok && e.unchanged(st) && !ignoreStamps {
				delete(maybe, e.name)
			} else {
				maybe[e.name] = true
			}
		})
	})
	return slices.Collect(maps.Keys(maybe)), recount, err
}

// changed returns those of the files that are not as the last commit says.
func (s *synchronizer) changed(ctx context.Context, names []string) ([]string, error) {
	b, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	known := make(map[string]entry, len(names))
	err = s.replica.store.DB().View(ctx, func(f *sqlitex.File) error {
		return selectEntries(ctx, f, " WHERE name IN (SELECT value FROM json_each(?))", []any{string(b)}, func(e entry) { known[e.name] = e })
	})
	return slices.DeleteFunc(names, func(name string) bool {
		e := known[name]
		st, err := s.dir.stat(name)
		return err == nil && e.unchanged(st) || err != nil && e.name == ""
	}), err
}

// transact runs fn in a transaction of its own.
func (s *synchronizer) transact(ctx context.Context, fn func(*tx) error) error {
	return s.life.update(ctx, func() error {
		var g *group
		err := s.replica.store.DB().Update(ctx, driver.Lazy, func(q *sqlitex.Tx) (err error) {
			if g, err = s.begin(q, driver.Durable); err != nil {
				return err
			}
			t := g.Begin(ctx)
			if err := fn(t); err != nil {
				return err
			}
			g.Keep(t)
			return g.End()
		})
		if g != nil {
			g.Done(err)
		}
		return err
	})
}

// retry asks for another comparison of files that cannot be read yet.
func (s *synchronizer) retry() {
	select {
	case s.retries <- struct{}{}:
	default: // asked already
	}
}
