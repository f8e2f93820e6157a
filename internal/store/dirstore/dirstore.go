package dirstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Store is a [driver.Backend] on a directory. It is safe for concurrent use; any number of
// handles, in any number of processes, may be open on one directory. After Close its methods
// return [hippo.ErrUnavailable].
type Store struct {
	disk     *disk
	log      *slog.Logger
	now      func() time.Time
	readOnly error // why nothing can be written; nil if it can

	// mirror is the copy of the memories, in the file at path. Its folder is removed at the
	// end if it is private, because the directory cannot be written.
	mirror  *sqlitestore.Store
	path    string
	private string
	writer  *sqlitex.Writer[*tx]

	closing  context.Context
	close    context.CancelFunc
	watching sync.WaitGroup
	watched  atomic.Pointer[fsnotify.Watcher]
	again    chan struct{} // asks for another look at files that cannot be read
	once     sync.Once

	first  atomic.Bool // all files were compared once
	unsure atomic.Bool // a commit may have changed files and not the copy

	updates    sync.RWMutex // held for reading during an update of the copy
	recovering sync.Mutex
	seen       atomic.Pointer[os.FileInfo] // of the copy that was compared with all files
	relations  atomic.Pointer[stamp]       // of relations.jsonl as it was read
}

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// Now is the clock that decides when an unreadable file has settled; nil
	// means the system's.
	Now func() time.Time
	// Log gets what a person may want to know: files put aside, a watcher that
	// cannot start. Nil means nowhere.
	Log *slog.Logger
	// Poll is how often all files are compared with what is known; zero
	// means 30 s, negative never.
	Poll time.Duration
	// Debounce is how long a changed file must be quiet before it is read; zero
	// means 200 ms.
	Debounce time.Duration
	// NoWatch does without watching the directory.
	NoWatch bool

	// fault: see disk.
	fault func(op, name string) error
}

// Open opens the directory dir and creates it if it does not exist. It returns when all that
// other programs changed was read. ctx has no effect later.
//
// Errors: [hippo.ErrInvalid] if dir is no directory, [hippo.ErrReadOnly] or
// [hippo.ErrFull] if it cannot be created, [hippo.ErrUnsupported] if it has a newer format. A
// directory that cannot be written is opened for reading: Write returns [hippo.ErrReadOnly] then.
// Cost: some 2 us for each file, and 150 us for each that was changed.
func Open(ctx context.Context, dir string, o *Options) (*Store, error) {
	s := newStore(o)
	if err := s.openDisk(dir, o); err != nil {
		return nil, err
	}
	if err := s.openMirror(ctx); err != nil {
		s.close()
		return nil, errors.Join(err, s.release())
	}
	s.watch(o)
	return s, nil
}

func newStore(o *Options) *Store {
	s := &Store{
		log:   slog.New(slog.DiscardHandler),
		now:   time.Now, //nolint:forbidigo // the system clock is the default
		again: make(chan struct{}, 1),
	}
	s.closing, s.close = context.WithCancel(context.Background())
	if o != nil && o.Now != nil {
		s.now = o.Now
	}
	if o != nil && o.Log != nil {
		s.log = o.Log
	}
	return s
}

func (s *Store) openDisk(dir string, o *Options) error {
	path, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", hippo.ErrInvalid, dir, err)
	}
	s.disk = &disk{path: path}
	if o != nil {
		s.disk.fault = o.fault
	}
	if i, err := os.Stat(path); err == nil && !i.IsDir() {
		return fmt.Errorf("%w: %s is not a directory", hippo.ErrInvalid, path)
	}
	if err := makeDir(path); err != nil {
		return s.disk.failed("create", ".", err)
	}
	return s.disk.open()
}

// openMirror opens the copy and brings it up to date.
func (s *Store) openMirror(ctx context.Context) error {
	s.path = s.disk.full(derivedName)
	if err := s.disk.writable(); errors.Is(err, hippo.ErrReadOnly) {
		s.readOnly = err
		if s.private, err = os.MkdirTemp("", "hippo-"); err != nil {
			return s.readOnly
		}
		s.path = filepath.Join(s.private, "derived.db")
		if sqlitestore.CopyFile(ctx, s.disk.full(derivedName), s.path) != nil {
			_ = os.Remove(s.path) // it is built from the files
		}
	} else if err != nil {
		return err
	}
	var err error
	if s.mirror, err = s.openDerived(ctx); err != nil {
		return err
	}
	s.writer = sqlitex.NewWriter(s.mirror.DB(), func(q *sqlitex.Tx, d driver.Durability) (sqlitex.Group[*tx], error) {
		return s.begin(q, d)
	})
	if err := s.recover(ctx); err != nil || s.readOnly != nil {
		return err
	}
	return s.cleanUp(ctx)
}

func (s *Store) openDerived(ctx context.Context) (*sqlitestore.Store, error) {
	return sqlitestore.OpenDerived(ctx, s.path, sqlitex.Derived{Version: tablesVersion, SQL: tables}, s.log)
}

// cleanUp removes what killed writers left.
func (s *Store) cleanUp(ctx context.Context) error {
	if names, err := s.disk.temps(); err != nil || len(names) == 0 {
		return err
	}
	return s.update(ctx, func(*tx) error { // nobody else writes meanwhile
		names, err := s.disk.temps()
		for _, name := range names {
			err = errors.Join(err, s.disk.remove(name))
		}
		return err
	})
}

// Close ends the watching, answers waiting writes with [hippo.ErrUnavailable]
// and releases the directory. It waits for a commit that has begun. Further
// calls do nothing.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		s.close()
		s.updates.Lock() // waits for those that run; others see that the store is closed
		s.updates.Unlock() //nolint:staticcheck // see above
		s.watching.Wait()
		err = s.release()
	})
	return err
}

// release closes the files that are held open.
func (s *Store) release() error {
	var errs []error
	if s.writer != nil {
		s.writer.Close()
	}
	if s.mirror != nil {
		errs = append(errs, s.mirror.Close())
	}
	if s.private != "" {
		errs = append(errs, os.RemoveAll(s.private))
	}
	return errors.Join(append(errs, s.disk.close())...)
}

// IndexPath returns where a snapshot of an index of this store may be kept. It
// may be gone at any time.
func (s *Store) IndexPath() string { return s.disk.full(indexName) }

func (s *Store) usable(ctx context.Context) error {
	if s.closing.Err() != nil {
		return errClosed()
	}
	return ctx.Err()
}

func errClosed() error { return fmt.Errorf("%w: store is closed", hippo.ErrUnavailable) }

// orClosed says why a call failed that Close overtook.
func (s *Store) orClosed(err error) error {
	if err != nil && s.closing.Err() != nil {
		return errClosed()
	}
	return err
}
