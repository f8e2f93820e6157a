package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// unreadable holds the memories that could not be read so far.
type unreadable struct {
	path string
	log  *slog.Logger
	mu   sync.Mutex
	ids  map[hippo.ID]bool
	// quiet: what is found is counted and logged together.
	quiet bool
}

func newUnreadable(path string, log *slog.Logger) *unreadable {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &unreadable{path: path, log: log, ids: make(map[hippo.ID]bool)}
}

// problem describes a memory that cannot be read. The first time it is logged.
func (u *unreadable) problem(id hippo.ID, err error) api.StoreProblem {
	p := api.StoreProblem{ID: id, Path: u.path, Err: err.Error()}
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.ids[id] {
		u.ids[id] = true
		if u.quiet {
			return p
		}
		u.log.Error("a memory cannot be read", "store", u.path, "id", id, "error", err)
	}
	return p
}

// together runs a function that may find many memories that cannot be read. They are logged on
// one line.
func (u *unreadable) together(find func() error) error {
	u.mu.Lock()
	before := len(u.ids)
	u.quiet = true
	u.mu.Unlock()
	err := find()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.quiet = false
	if n := len(u.ids) - before; n > 0 {
		u.log.Error("memories cannot be read", "store", u.path, "count", n)
	}
	return err
}

// split returns the memories that can be read, and an error about the others.
func (u *unreadable) split(list []stored) ([]*hippo.Memory, error) {
	ms := make([]*hippo.Memory, 0, len(list))
	var bad []api.StoreProblem
	for _, m := range list {
		if m.err == nil {
			ms = append(ms, m.Memory)
		} else {
			bad = append(bad, u.problem(m.ID, m.err))
		}
	}
	if len(bad) > 0 {
		return ms, &api.UnreadableError{Problems: bad}
	}
	return ms, nil
}

func (u *unreadable) list() []hippo.ID {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.SortedFunc(maps.Keys(u.ids), hippo.ID.Compare)
}

// Problems implements [driver.Backend]: the memories that could not be read so far, and the
// faults of the pages of the file; see [sqlitex.DB.QuickCheck].
func (s *Store) Problems(ctx context.Context) ([]api.StoreProblem, error) {
	faults, err := s.db.QuickCheck(ctx)
	if err != nil {
		return nil, err
	}
	return listProblems(ctx, s, faults)
}

// listProblems lists faults of the file, and the memories that still cannot be read.
func listProblems(ctx context.Context, s *Store, faults []string) ([]api.StoreProblem, error) {
	var list []api.StoreProblem
	if err := sqlitex.Unfit(s.db.Path()); err != nil {
		list = append(list, api.StoreProblem{Path: s.db.Path(), Err: err.Error()})
	}
	for _, fault := range faults {
		list = append(list, api.StoreProblem{Path: s.db.Path(), Err: fault})
	}
	_, err := s.Get(ctx, s.bad.list())
	if bad, ok := errors.AsType[*api.UnreadableError](err); ok {
		return append(list, bad.Problems...), nil
	}
	return list, err
}

// Check implements [driver.Checker].
func (s *Store) Check(ctx context.Context) ([]api.StoreProblem, error) {
	faults, err := s.db.IntegrityCheck(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := checkCounts(ctx, s)
	faults = append(faults, counts...)
	var memories []api.StoreProblem
	if err == nil {
		err = s.bad.together(func() (err error) {
			memories, err = checkMemories(ctx, s)
			return err
		})
	}
	if err != nil && len(faults) == 0 {
		return nil, err
	}
	ps, err := listProblems(ctx, s, faults)
	return append(ps, memories...), err
}

// checkMemories returns the faults of readable memories. Reading all memories records the
// unreadable ones.
func checkMemories(ctx context.Context, s *Store) (ps []api.StoreProblem, err error) {
	for c, err := range s.Changes(ctx, 0) {
		if err != nil {
			return ps, err
		}
		if c.Memory == nil {
			continue
		}
		if err := c.Memory.Validate(); err != nil {
			ps = append(ps, api.StoreProblem{ID: c.ID, Path: s.db.Path(), Err: err.Error()})
		}
		if c.Memory.ContentHash != hippo.HashContent(c.Memory.Content) {
			ps = append(ps, api.StoreProblem{ID: c.ID, Path: s.db.Path(), Err: "the content does not have the hash that is stored with it"})
		}
	}
	return ps, nil
}

// checkCounts compares the stored counts with the rows, and the vectors with the dimensions
// of their models. It is one statement, so that it reads one snapshot.
func checkCounts(ctx context.Context, s *Store) (faults []string, err error) {
	what := [...]string{"memories", "forgotten memories", "relations"}
	var counted, there [len(what)]int
	vectors := 0
	err = s.db.View(ctx, func(f *sqlitex.File) error {
		_, err := sqlitex.First(ctx, f, `SELECT memories, forgotten, relations, (SELECT count(*) FROM memory),
			(SELECT count(*) FROM memory WHERE forgotten_at IS NOT NULL), (SELECT count(*) FROM relation),
			(SELECT count(*) FROM vector v JOIN model m ON m.pk = v.model WHERE length(v.value) = 0 OR length(v.value) % (4 * m.dimension) <> 0) FROM state`,
			nil, &counted[0], &counted[1], &counted[2], &there[0], &there[1], &there[2], &vectors)
		return err
	})
	for i := range what {
		if there[i] != counted[i] {
			faults = append(faults, fmt.Sprintf("there are %d %s, but %d are counted", there[i], what[i], counted[i]))
		}
	}
	if vectors > 0 {
		faults = append(faults, fmt.Sprintf("%d vectors do not have the dimension of their model", vectors))
	}
	return faults, err
}

// Damaged returns [hippo.ErrCorrupt] if [Store.Check], or anything else, found that the
// file as a whole is damaged.
func (s *Store) Damaged(ctx context.Context) error {
	faults, err := s.db.QuickCheck(ctx)
	if err == nil && len(faults) > 0 {
		err = fmt.Errorf("%w: %s: %s", hippo.ErrCorrupt, s.db.Path(), faults[0])
	}
	return err
}

// CopyTo writes a copy of the store, as it is at one moment, to a file that is empty or
// does not exist.
func (s *Store) CopyTo(ctx context.Context, path string) error { return s.db.CopyTo(ctx, path) }

// CopyFile is [Store.CopyTo] for a file of any schema version, which is not changed. A file that
// is no store, such as an empty one, is [hippo.ErrUnsupported].
func CopyFile(ctx context.Context, from, to string) error {
	db, err := sqlitex.Open(ctx, from, &sqlitex.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	if err = requireStore(ctx, db); err == nil {
		err = db.CopyTo(ctx, to)
	}
	return errors.Join(err, db.Close())
}

// requireStore returns [hippo.ErrUnsupported] for a file without the tables of a store.
func requireStore(ctx context.Context, db *sqlitex.DB) error {
	tables := 0
	err := db.View(ctx, func(f *sqlitex.File) error {
		_, err := sqlitex.First(ctx, f, "SELECT count(*) FROM sqlite_schema WHERE name IN ('memory', 'state')", nil, &tables)
		return err
	})
	if err == nil && tables < 2 {
		return fmt.Errorf("%w: %s has no memories", hippo.ErrUnsupported, db.Path())
	}
	return db.Explain("open", err)
}
