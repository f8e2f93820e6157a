package dirstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/filelease"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Store is a [driver.Backend] on a directory. It is safe for concurrent use; any number of
// handles, in any number of processes, may be open on one directory. During and after Close its
// methods return [hippo.ErrUnavailable].
type Store struct {
	dir     *directory
	replica *replica
	sync    *synchronizer
	writer  *sqlitex.Writer[*tx]
	watcher *watcher
	life    *lifetime
	closing sync.Once
	graves
	leases
}

// leases are the rights of a handle, in files of the folder of state.
type leases = *filelease.Leases

// Leases returns the rights of another handle of a directory, for a process that does not open it.
func Leases(dir string, now func() time.Time) *filelease.Leases {
	return filelease.New(filepath.Join(dir, stateDir)+string(filepath.Separator), now)
}

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// Now is the clock that decides when an unreadable file has settled; nil
	// means the system's.
	Now func() time.Time
	// Log gets what a person may want to know: files in quarantine, a
	// directory that cannot be watched. Nil discards.
	Log *slog.Logger
	// Poll is how often all files are compared with what is known; zero
	// means 30 s, negative never.
	Poll time.Duration
	// Debounce is how long a changed file must be quiet before it is read; zero
	// means 200 ms.
	Debounce time.Duration
	// NoWatch turns watching the directory off.
	NoWatch bool

	// fault: see directory.
	fault func(op, name string) error
}

// Open opens the directory dir and creates it if it does not exist. It returns when all
// changes by other programs were read. ctx has no effect later.
//
// Errors: [hippo.ErrInvalid] if dir is no directory, [hippo.ErrReadOnly] or
// [hippo.ErrFull] if it cannot be created, [hippo.ErrUnsupported] if it has a newer format. A
// directory that cannot be written is opened for reading: Write returns [hippo.ErrReadOnly] then, or [hippo.ErrFull] where there was
// no space when it was opened.
// Cost: some 2 us for each file, and 150 us for each that was changed.
func Open(ctx context.Context, dir string, o *Options) (*Store, error) {
	full := o.withDefaults()
	s, err := open(ctx, dir, full, nil)
	if errors.Is(err, hippo.ErrFull) {
		s, err = open(ctx, dir, full, fmt.Errorf("%w; make space and open the store again to write", err))
	}
	return s, err
}

// open is [Open]. Unwritable, if it is set, is why the directory is opened for reading.
func open(ctx context.Context, dir string, full Options, unwritable error) (*Store, error) {
	fresh := !Holds(dir)
	d, err := openDirectory(dir, full.fault)
	if err != nil {
		return nil, err
	}
	if d.readOnly == nil {
		d.readOnly = unwritable
	}
	if fresh && d.readOnly == nil {
		if err := makeAttributes(d); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	s := &Store{dir: d, life: newLifetime(), leases: Leases(d.full("."), full.Now)}
	if err := start(ctx, s, full); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Holds reports whether there is a store in the directory dir: its folder of state, or a file that a store has. It changes
// nothing. What cannot be read, or is no directory, may be one: Open says what is wrong. Cost: that of a list of the names.
func Holds(dir string) bool {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return e.IsDir() && (e.Name() == stateDir || e.Name() == historyDir) || managed(e.Name())
	})
}

// withDefaults returns a copy with the defaults in place of zeros; o may be nil.
func (o *Options) withDefaults() Options {
	full := Options{}
	if o != nil {
		full = *o
	}
	if full.Now == nil {
		full.Now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if full.Log == nil {
		full.Log = slog.New(slog.DiscardHandler)
	}
	full.Poll = cmp.Or(full.Poll, defaultPoll)
	if full.Debounce <= 0 {
		full.Debounce = defaultDebounce
	}
	return full
}

// start opens the replica, brings it up to date, and starts the goroutines.
func start(ctx context.Context, s *Store, o Options) (err error) {
	if s.replica, err = openReplica(ctx, s.dir, o.Log); err != nil {
		return err
	}
	s.sync = &synchronizer{dir: s.dir, replica: s.replica, life: s.life, now: o.Now, log: o.Log, retries: make(chan struct{}, 1)}
	s.graves = graves{s.sync, s.replica}
	s.writer = sqlitex.NewWriter(s.replica.store.DB(), nil, func(q *sqlitex.Tx, d driver.Durability) (sqlitex.Group[*tx], error) {
		return s.sync.begin(q, d)
	})
	s.watcher = newWatcher(s.sync, o)
	if err := s.sync.readable(ctx); err != nil {
		return err
	}
	if err := cleanUp(sqlitex.Briefly(ctx), s.sync); err != nil && !sqlitex.Held(err) { // who holds the lock may be writing them
		return err
	}
	s.watcher.start()
	return nil
}

// cleanUp removes the temporary files of writers that were killed.
func cleanUp(ctx context.Context, s *synchronizer) error {
	if s.dir.readOnly != nil {
		return nil
	}
	if names, err := temporaryFiles(s.dir); err != nil || len(names) == 0 {
		return err
	}
	return s.transact(ctx, func(*tx) error { // nobody else writes meanwhile
		names, err := temporaryFiles(s.dir)
		for _, name := range names {
			err = errors.Join(err, s.dir.remove(name))
		}
		return err
	})
}

// Close ends the watching, waits for the writes that have begun, and releases the
// directory. Further calls do nothing.
func (s *Store) Close() error {
	var errs []error
	s.closing.Do(func() {
		s.life.end()
		if s.watcher != nil {
			errs = append(errs, s.watcher.close())
		}
		if s.writer != nil {
			s.writer.Close()
		}
		if s.replica != nil {
			errs = append(errs, s.replica.close())
		}
		s.leases.Close()
		errs = append(errs, s.dir.close())
	})
	return errors.Join(errs...)
}

// IndexPath returns the path for a snapshot of the index of this store. The file may be
// deleted at any time.
func (s *Store) IndexPath() string { return s.dir.full(indexName) }
