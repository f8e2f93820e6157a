package sqlitex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hippo-memory/hippo"
)

// One process at a time may write a file. SQLite lets others ask again after ever longer pauses, up to 100 ms, so that one that waits
// hardly ever meets the moment between two transactions of a busy process. Here it asks every millisecond, which gives all that
// wait the same chance, and it waits while the others make progress: a process that is stopped makes none.
const (
	lockRetry = time.Millisecond
	// checkEvery is how often it is checked whether the others make progress.
	checkEvery = 250 * time.Millisecond
	// stuckAfter is how long they may make none, stoppedAfter how long if the system says that the process with the lock is stopped.
	stuckAfter, stoppedAfter = 2500 * time.Millisecond, 500 * time.Millisecond
	// maxWait bounds the wait for those that make progress.
	maxWait = 10 * time.Second
	// beatEvery is the time between two signs of life of a long transaction.
	beatEvery = time.Second
)

// held is that another process has the lock for writing.
type held struct {
	op, path string
	by       process
	cause    error // may be nil
}

// Error implements error.
func (e *held) Error() string {
	return fmt.Sprintf("%v: %s %s: %s holds the lock of the file%s", hippo.ErrUnavailable, e.op, e.path, &e.by, e.by.advice())
}

// Unwrap returns the kind of the error, and its cause.
func (e *held) Unwrap() []error {
	if e.cause == nil {
		return []error{hippo.ErrUnavailable}
	}
	return []error{hippo.ErrUnavailable, e.cause}
}

// Held reports whether an error says that another process has the lock for writing.
func Held(err error) bool {
	_, ok := errors.AsType[*held](err)
	return ok || busy(err)
}

type briefly struct{}

// Briefly returns a context with which a lock is waited for no longer than a moment: for changes that a read applies ahead, and
// that the next one can apply.
func Briefly(ctx context.Context) context.Context { return context.WithValue(ctx, briefly{}, true) }

// patience returns how long the others may make no progress.
func patience(ctx context.Context) time.Duration {
	if ctx.Value(briefly{}) != nil {
		return checkEvery
	}
	return stuckAfter
}

// take takes the turn of this process to write, which [pass] passes on.
func take(ctx context.Context, d *DB) error {
	limited := ctx
	if p := patience(ctx); p < stuckAfter {
		var stop context.CancelFunc
		limited, stop = context.WithTimeout(ctx, p)
		defer stop()
	}
	select {
	case d.writing <- struct{}{}:
		return nil
	case <-limited.Done():
		if err := ctx.Err(); err != nil {
			return err
		}
		return &held{"write", d.path, process{id: os.Getpid()}, nil}
	}
}

func pass(d *DB) { <-d.writing }

// progress is what changes when other processes write a file.
type progress struct {
	version int64
	files   [3]struct{ size, changed int64 }
}

func progressOf(t *Tx, path string) (p progress) {
	if t != nil {
		p.version, _ = t.DataVersion() // without it the files show it
	}
	for i, suffix := range []string{"", walSuffix, "-journal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			p.files[i].size, p.files[i].changed = info.Size(), info.ModTime().UnixNano()
		}
	}
	return p
}

// whenFree calls fn, which needs a lock that another process may have, until it gets it or that process makes no progress. It is
// called by one goroutine at a time.
func whenFree(ctx context.Context, f *File, fn func() error) error {
	err := fn()
	if !busy(err) {
		return err
	}
	seen := progressOf(f.tx, f.path)
	idle := f.tx.inVain.before(ctx, seen)
	checks := time.NewTicker(checkEvery)
	defer checks.Stop()
	gaveUp := hopeless(ctx, f.path, idle, 0)
	for waited := time.Duration(0); gaveUp == nil && busy(err); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockRetry):
			err = fn()
		case <-checks.C:
			waited, idle = waited+checkEvery, idle+checkEvery
			if now := progressOf(f.tx, f.path); now != seen {
				seen, idle = now, 0
			}
			gaveUp = hopeless(ctx, f.path, idle, waited)
		}
	}
	f.tx.inVain.note(seen, idle, gaveUp)
	if gaveUp != nil {
		return gaveUp
	}
	return err
}

// inVain is what is known of waits for a lock that ended without it: the progress of the others at that time.
type inVain struct{ long, brief progress }

// before returns how long the others made no progress before a wait begins.
func (v *inVain) before(ctx context.Context, now progress) time.Duration {
	switch {
	case now == v.brief && patience(ctx) == checkEvery:
		return checkEvery
	case now == v.long:
		return stuckAfter - checkEvery
	default:
		return 0
	}
}

func (v *inVain) note(seen progress, idle time.Duration, gaveUp error) {
	switch {
	case gaveUp == nil:
		*v = inVain{}
	case idle >= stoppedAfter:
		*v = inVain{seen, seen}
	default:
		v.brief = seen
	}
}

// hopeless returns why it makes no sense to wait longer; nil if it does.
func hopeless(ctx context.Context, path string, idle, waited time.Duration) error {
	late := idle >= patience(ctx) || waited >= maxWait
	if !late && idle < stoppedAfter {
		return nil
	}
	if by := writerOf(path); late || by.stopped {
		return &held{"write", path, by, nil}
	}
	return nil
}

// begin begins a transaction that excludes all other writers.
func begin(ctx context.Context, f *File) error {
	return whenFree(ctx, f, func() error { return f.tx.Exec("BEGIN IMMEDIATE") })
}

// waitFor sets how long SQLite waits for a lock of another program.
func (t *Tx) waitFor(d time.Duration) error {
	return t.Script(fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds()))
}

// beat gives signs of life of a transaction until end is called: those that wait for it see that the log is touched.
func beat(f *File) (end func()) {
	log := f.path + walSuffix
	if f.rollback {
		log = f.path + "-journal"
	}
	var t *time.Timer
	ready := make(chan struct{})
	t = time.AfterFunc(beatEvery, func() {
		<-ready
		_ = os.Chtimes(log, time.Time{}, time.Now()) //nolint:forbidigo // others compare it with nothing but itself
		t.Reset(beatEvery)
	})
	close(ready)
	return func() { t.Stop() }
}

// process is one that has a lock. The zero value is one that is not known.
type process struct {
	id      int
	name    string
	stopped bool
}

// String implements [fmt.Stringer].
func (p *process) String() string {
	switch {
	case p.id == 0:
		return "another process"
	case p.id == os.Getpid():
		return "this process"
	case p.stopped:
		return fmt.Sprintf("process %d (%s), which is stopped,", p.id, p.name)
	default:
		return fmt.Sprintf("process %d (%s)", p.id, p.name)
	}
}

// advice is what to do about it.
func (p *process) advice() string {
	switch {
	case p.id == os.Getpid():
		return ""
	case p.stopped:
		return fmt.Sprintf(": let it go on (kill -CONT %d) or end it", p.id)
	default:
		return ": end its transaction, or end it"
	}
}

// busy reports whether another program holds a lock.
func busy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}
