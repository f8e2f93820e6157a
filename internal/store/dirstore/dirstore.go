package dirstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/groupcommit"
)

// Store is a [driver.Backend] on a directory. All memories are held in RAM. It
// is safe for concurrent use; any number of handles, in any number of
// processes, may be open on one directory. After Close its methods return
// [hippo.ErrUnavailable].
type Store struct {
	disk     *disk
	log      *slog.Logger
	now      func() time.Time
	readOnly error // why nothing can be written; nil if it can

	writer   *groupcommit.Writer[driver.Tx]
	closing  context.Context
	close    context.CancelFunc
	watching sync.WaitGroup
	again    chan struct{} // asks for another look at files that cannot be read
	once     sync.Once

	// working holds a token while this handle has the lock, or waits for it.
	// Its owner alone uses the next five fields.
	working   chan struct{}
	lostTrack bool     // all files have to be read
	staleLog  bool     // the log lacks something
	recheck   []string // files that a commit of this program left half done
	odd       []string // files that do not match the log
	later     later

	mu    sync.RWMutex // guards state; only the owner of working changes memories
	state state

	vectors   vectors
	relations relations
}

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// Now is the clock that decides when an unreadable file has settled; nil
	// means the system's.
	Now func() time.Time
	// Log gets what a person may want to know: files put aside, a watcher that
	// cannot start. Nil means nowhere.
	Log *slog.Logger
	// Poll is how often all contents are compared with what is known; zero
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

// Open opens the directory dir and creates it if it is missing. It waits for
// the lock until ctx ends; ctx has no effect later.
//
// Errors: [hippo.ErrInvalid] if dir is no directory, [hippo.ErrReadOnly] or
// [hippo.ErrFull] if it cannot be created. A directory that cannot be written
// is opened for reading: Write returns [hippo.ErrReadOnly] then.
// Cost: every file is read, some 30 us each on one processor.
func Open(ctx context.Context, dir string, o *Options) (*Store, error) {
	s := newStore(o)
	if err := s.openDisk(dir, o); err != nil {
		return nil, err
	}
	if err := s.begin(ctx); err != nil {
		s.close()
		return nil, errors.Join(err, s.release())
	}
	s.writer = groupcommit.New(s.commitGroup)
	s.watch(o)
	return s, nil
}

func newStore(o *Options) *Store {
	s := &Store{
		log:       slog.New(slog.DiscardHandler),
		now:       time.Now, //nolint:forbidigo // the system clock is the default
		again:     make(chan struct{}, 1),
		working:   make(chan struct{}, 1),
		lostTrack: true,
		state:     newState(rand.Text()),
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
	s.relations = newRelations(s.disk)
	if o != nil {
		s.disk.fault = o.fault
	}
	if i, err := os.Stat(path); err == nil && !i.IsDir() {
		return fmt.Errorf("%w: %s is not a directory", hippo.ErrInvalid, path)
	}
	if err := makeDir(path); err != nil {
		return s.disk.failed("create", ".", err)
	}
	s.disk.root, err = os.OpenRoot(path)
	return s.disk.failed("open", ".", err)
}

// begin reads everything.
func (s *Store) begin(ctx context.Context) error {
	if err := s.disk.writable(); errors.Is(err, hippo.ErrReadOnly) {
		s.readOnly = err
	} else if err != nil {
		return err
	}
	id := s.state.store
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if s.readOnly == nil {
		if err := s.disk.cleanTemps(); err != nil {
			return err
		}
	}
	if s.state.store == id && s.state.calendar.Day == 0 && s.state.newestDay() > 0 {
		// Neither log nor metadata.json: the day is not known but by the uses.
		return s.turn(driver.Calendar{Day: s.state.newestDay()})
	}
	return nil
}

// writable tries to write, which says more than permissions do.
func (d *disk) writable() error {
	if err := d.makeState(); err != nil {
		return err
	}
	name, _, err := d.temp(nil)
	if err != nil {
		return err
	}
	return d.remove(name)
}

// Close ends the watching, answers waiting writes with [hippo.ErrUnavailable]
// and releases the directory. It waits for a commit that has begun. Further
// calls do nothing.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		s.close()
		s.writer.Close()
		s.watching.Wait()
		err = errors.Join(s.tidy(), s.release())
	})
	return err
}

// release closes the files that are held open.
func (s *Store) release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.disk.root.Close()
	if s.state.file != nil {
		err = errors.Join(err, s.state.file.Close())
	}
	s.vectors.close()
	s.relations.close()
	return err
}

// tidy lowers the bound of revisions, if nobody else is at work.
func (s *Store) tidy() error {
	if s.readOnly != nil {
		return nil
	}
	s.working <- struct{}{}
	defer func() { <-s.working }()
	release, ok := s.disk.tryAcquire()
	if !ok {
		return nil
	}
	defer release()
	if s.refresh(true) != nil || len(s.odd) > 0 || s.lostTrack || s.staleLog {
		return nil // all this is for the next Open; it only costs some revisions
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trim()
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

// Get implements [driver.Backend]. An ID given twice is answered twice, with
// separate copies.
func (s *Store) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return find(ids, func(id hippo.ID) *hippo.Memory { return s.state.rows[id].memory }), nil
}

// Head implements [driver.Backend]. Cost: some system calls, below 10 us, when
// nothing has changed.
func (s *Store) Head(ctx context.Context) (driver.Head, error) {
	if err := s.current(ctx); err != nil {
		return driver.Head{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	h := s.state.head()
	err := s.relations.look(func() { h.Relations = s.relations.graph.Len() })
	return h, s.orClosed(err)
}

// Changes implements [driver.Backend]. It yields the state at the moment of the
// first step; what is written later is left for the next call.
// Cost: O(n log n) time and a pointer per change to begin with.
func (s *Store) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		if err := s.current(ctx); err != nil {
			yield(driver.Change{}, err)
			return
		}
		s.mu.RLock()
		list := s.state.after(since)
		s.mu.RUnlock()
		for _, c := range list {
			if err := s.usable(ctx); err != nil {
				yield(driver.Change{}, err)
				return
			}
			if c.Memory != nil {
				c.Memory = c.Memory.Clone()
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}
