package dirstore

import (
	"errors"
	"path/filepath"
	"slices"
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
			w.look(nil, false)
		case <-quiet.C:
			w.lookDirty()
		case <-latest.C:
			w.lookDirty()
		case <-w.store.again:
			retry.Reset(retryAfter)
		case <-retry.C:
			w.look(nil, false)
		case <-ticks(w.glance):
			w.look(nil, false)
		case <-ticks(w.poll):
			w.look(nil, true)
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

func (w *watcher) lookDirty() {
	names := make([]string, 0, len(w.dirty))
	for name := range w.dirty {
		names = append(names, name)
	}
	clear(w.dirty)
	if len(names) > 0 {
		w.look(names, false)
	}
}

// look takes over changes of these files, or of all. Failing is not the end:
// the next poll looks again.
func (w *watcher) look(names []string, contents bool) {
	err := w.store.sync(names, contents)
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

// sync takes over what other programs did to these files, or to all if names is
// nil. Most of the time they did nothing, and the lock is not needed.
func (s *Store) sync(names []string, contents bool) error {
	if names == nil {
		all, err := s.names()
		if err != nil {
			return err
		}
		names = all
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == metadataName })
	var odd []string
	for _, v := range s.scan(names, contents) {
		if !v.same {
			odd = append(odd, v.name)
		}
	}
	if len(odd) == 0 && !s.metadataMoved() {
		return nil
	}
	unlock, err := s.lock(s.closing)
	if err != nil {
		return err
	}
	defer unlock()
	if len(odd) == 0 {
		return nil
	}
	return s.reconcile(odd, contents, true)
}
