package dirstore

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	defaultPoll     = 30 * time.Second
	defaultDebounce = 200 * time.Millisecond
	// fallbackPoll is how often sizes and times are compared when the directory
	// cannot be watched.
	fallbackPoll = 2 * time.Second
	// retryAfter is when a file that cannot be read is looked at again.
	retryAfter = time.Second
	// manyDirty is the number of changed files above which comparing all is faster.
	manyDirty = 1000
	// longest is how many times the debounce a look may be put off when there is
	// no quiet.
	longest = 5
)

// watch starts the goroutine that notices what other programs do.
func (s *Store) watch(o *Options) {
	if o == nil {
		o = &Options{}
	}
	w := &watcher{store: s, debounce: defaultDebounce, dirty: make(map[string]bool)}
	if o.Debounce > 0 {
		w.debounce = o.Debounce
	}
	poll, glance := o.Poll, time.Duration(0)
	if poll == 0 {
		poll = defaultPoll
	}
	if !o.NoWatch {
		notify, err := newNotify(s.disk)
		if err != nil {
			s.log.Warn("directory cannot be watched, so it is polled", "directory", s.disk.path, "error", err)
			glance = fallbackPoll
		} else {
			w.notify = notify
			s.watched.Store(notify)
		}
	}
	w.poll, w.glance = ticker(poll), ticker(glance)
	s.watching.Go(w.run)
}

func newNotify(d *disk) (*fsnotify.Watcher, error) {
	if err := d.at("watch", "."); err != nil {
		return nil, err
	}
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := n.Add(d.path); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// ticker returns nil, which never ticks, for an interval that is not positive.
func ticker(d time.Duration) *time.Ticker {
	if d <= 0 {
		return nil
	}
	return time.NewTicker(d)
}

// watcher collects hints that files have changed, and has them looked at when
// they are quiet.
type watcher struct {
	store        *Store
	debounce     time.Duration
	notify       *fsnotify.Watcher // nil: not watching
	poll, glance *time.Ticker      // nil: never
	dirty        map[string]bool
}

func (w *watcher) run() {
	defer w.stop()
	quiet, latest, retry := stopped(), stopped(), stopped()
	events, failures := w.channels()
	for {
		select {
		case <-w.store.closing.Done():
			return
		case e := <-events:
			if name := filepath.Base(e.Name); ours(name) && !e.Has(fsnotify.Chmod) {
				if len(w.dirty) == 0 {
					latest.Reset(longest * w.debounce)
				}
				w.dirty[name] = true
				quiet.Reset(w.debounce)
			}
		case err := <-failures: // mostly that there were too many events
			w.store.log.Debug("watcher", "error", err)
			w.sync(nil)
		case <-quiet.C:
			w.syncDirty()
		case <-latest.C:
			w.syncDirty()
		case <-w.store.again:
			retry.Reset(retryAfter)
		case <-retry.C:
			w.sync(nil)
		case <-ticks(w.glance):
			w.sync(nil)
		case <-ticks(w.poll):
			w.sync(nil)
		}
	}
}

// stopped returns a timer that does not run.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

func (w *watcher) channels() (chan fsnotify.Event, chan error) {
	if w.notify == nil {
		return nil, nil
	}
	return w.notify.Events, w.notify.Errors
}

func ticks(t *time.Ticker) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C
}

func (w *watcher) stop() {
	if w.notify != nil {
		w.notify.Close() //nolint:errcheck // nothing depends on it any more
	}
	for _, t := range []*time.Ticker{w.poll, w.glance} {
		if t != nil {
			t.Stop()
		}
	}
}

func (w *watcher) syncDirty() {
	names := make([]string, 0, len(w.dirty))
	for name := range w.dirty {
		names = append(names, name)
	}
	clear(w.dirty)
	switch {
	case len(names) > manyDirty:
		w.sync(nil)
	case len(names) > 0:
		w.sync(names)
	}
}

// sync takes over changes of these files, or of all. Failing is not the end:
// the next poll compares again.
func (w *watcher) sync(names []string) {
	err := w.store.current(w.store.closing)
	if err == nil {
		err = w.store.sync(w.store.closing, names, names == nil && !everyChange)
	}
	if err != nil && w.store.closing.Err() == nil {
		w.store.log.Warn("changes by other programs cannot be read", "directory", w.store.disk.path, "error", err)
	}
}

// retry asks for another look at files that cannot be read yet.
func (s *Store) retry() {
	select {
	case s.again <- struct{}{}:
	default: // asked already
	}
}
