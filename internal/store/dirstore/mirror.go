package dirstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// current ensures that the copy is there and was compared with all files, and reads
// relations.jsonl if it was changed. Cost: two system calls; one for each file if the
// directory cannot be written, because commits of other processes cannot be noticed otherwise.
func (s *Store) current(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.readOnly != nil {
		return s.orClosed(s.sync(ctx, nil, false))
	}
	for last := false; s.unsure.Load() || !s.inPlace(); last = true {
		if err := s.recover(ctx); err != nil && (last || !s.lost(err)) {
			return s.orClosed(err)
		}
	}
	st, err := s.disk.stat(relationsName)
	if err != nil {
		st = stamp{}
	}
	if last := s.relations.Load(); last != nil && *last == st {
		return nil
	}
	if err := s.sync(ctx, []string{relationsName}, false); err != nil {
		return s.orClosed(err)
	}
	s.relations.Store(&st)
	return nil
}

// inPlace reports whether the copy is the one that was compared with all files.
func (s *Store) inPlace() bool {
	at, err := os.Lstat(s.path)
	was := s.seen.Load()
	return err == nil && was != nil && os.SameFile(at, *was)
}

// recover brings the copy up to date with all files. If .hippo was deleted it begins with an empty
// copy; if the whole directory was replaced, it goes on with the new one.
func (s *Store) recover(ctx context.Context) error {
	s.recovering.Lock()
	defer s.recovering.Unlock()
	if !s.unsure.Load() && s.inPlace() {
		return nil
	}
	if err := s.reopen(ctx); err != nil {
		return err
	}
	at, err := os.Lstat(s.path)
	if err != nil {
		return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	h, err := s.mirror.Head(ctx)
	if err != nil {
		return err
	}
	s.unsure.Store(false)
	if err = s.sync(ctx, nil, false); err == nil && h.Revision == 0 {
		err = s.guessDay(ctx)
	}
	if err != nil {
		s.unsure.Store(true)
		return err
	}
	s.seen.Store(&at)
	return nil
}

// guessDay makes the newest use of a memory the active day of a new copy, if no file has
// another.
func (s *Store) guessDay(ctx context.Context) error {
	if h, err := s.mirror.Head(ctx); err != nil || h.Calendar.Day > 0 || h.Memories == 0 {
		return err
	}
	return s.update(ctx, func(t *tx) error {
		day, err := newestDay(t)
		if err == nil && day > 0 {
			err = t.Tx.SetCalendar(driver.Calendar{Day: day})
		}
		return err
	})
}

// reopen creates what is missing of .hippo.
func (s *Store) reopen(ctx context.Context) error {
	if err := s.disk.open(); err != nil || s.readOnly != nil {
		return err
	}
	if err := s.disk.makeState(); err != nil {
		return err
	}
	if _, err := os.Lstat(s.path); err == nil {
		return nil
	}
	if w := s.watched.Load(); w != nil {
		_ = w.Add(s.disk.path) // perhaps another directory; what cannot be watched is polled
	}
	m, err := s.openDerived(ctx)
	if err != nil {
		return err
	}
	return m.Close()
}

// read calls fn, which reads the copy. It is called again if the copy was deleted or
// is damaged.
func (s *Store) read(ctx context.Context, fn func() error) error {
	for last := false; ; last = true {
		if err := s.current(ctx); err != nil {
			return err
		}
		err := fn()
		if err == nil || last || !s.lost(err) {
			return s.orClosed(err)
		}
	}
}

// lost reports whether an error means that the copy has to be built again. A damaged one is
// removed.
func (s *Store) lost(err error) bool {
	if errors.Is(err, hippo.ErrCorrupt) || sqlitex.Lost(err) {
		s.log.Warn("the copy of the memories is damaged and is rebuilt", "file", s.path, "error", err)
		return sqlitex.Remove(s.path) == nil
	}
	return !s.inPlace()
}

// written explains the error of a write.
func (s *Store) written(err error) error {
	if err != nil {
		s.lost(err)
	}
	return s.orClosed(err)
}
