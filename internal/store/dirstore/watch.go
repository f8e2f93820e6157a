package dirstore

import (
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	defaultPoll     = 30 * time.Second
	defaultDebounce = 200 * time.Millisecond
	// fallbackPoll is how often sizes and times are compared when the directory
	// cannot be watched.
	fallbackPoll = 2 * time.Second
	// retryAfter is when a file that cannot be read is read again.
	retryAfter = time.Second
	// manyChanged is how many changed files take as long as comparing all.
	manyChanged = 1000
	// maxDebounces bounds for how many debounce times changes wait while files keep
	// changing.
	maxDebounces = 5
)

// watcher collects notifications that files were changed, and synchronizes these files when
// there have been none for a while.
type watcher struct {
	sync           *synchronizer
	debounce       time.Duration
	notify         *fsnotify.Watcher // nil: not watching
	poll, fallback *time.Ticker      // nil: never
	changed        map[string]bool
	running        sync.WaitGroup
}

// newWatcher returns a watcher that registers changes from now on.
func newWatcher(s *synchronizer, o Options) *watcher {
	w := &watcher{sync: s, debounce: o.Debounce, changed: make(map[string]bool), poll: ticker(o.Poll)}
	if o.NoWatch {
		return w
	}
	var err error
	if w.notify, err = newNotify(s.dir); err != nil {
		s.log.Warn("directory cannot be watched, so it is polled", "directory", s.dir.path, "error", err)
		w.fallback = ticker(fallbackPoll)
		return w
	}
	s.dir.replaced = func() { _ = w.notify.Add(s.dir.path) } // what cannot be watched is polled
	return w
}

// start starts the goroutine, which ends with the life of the store.
func (w *watcher) start() { w.running.Go(w.run) }

// close waits for the goroutine.
func (w *watcher) close() error {
	w.running.Wait()
	for _, t := range []*time.Ticker{w.poll, w.fallback} {
		if t != nil {
			t.Stop()
		}
	}
	if w.notify == nil {
		return nil
	}
	return w.notify.Close()
}

func newNotify(d *directory) (*fsnotify.Watcher, error) {
	if err := d.permit("watch", "."); err != nil {
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

func (w *watcher) run() {
	debounced, latest, retry := stopped(), stopped(), stopped()
	events, failures := w.channels()
	for {
		select {
		case <-w.sync.life.ctx.Done():
			return
		case e := <-events:
			if name := filepath.Base(e.Name); managed(name) && !e.Has(fsnotify.Chmod) {
				if len(w.changed) == 0 {
					latest.Reset(maxDebounces * w.debounce)
				}
				w.changed[name] = true
				debounced.Reset(w.debounce)
			}
		case err := <-failures: // mostly an overflow of the event queue
			w.sync.log.Debug("watcher", "error", err)
			w.update(nil)
		case <-debounced.C:
			w.updateChanged()
		case <-latest.C:
			w.updateChanged()
		case <-w.sync.retries:
			retry.Reset(retryAfter)
		case <-retry.C:
			w.update(nil)
		case <-ticks(w.fallback):
			w.update(nil)
		case <-ticks(w.poll):
			w.update(nil)
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

func (w *watcher) updateChanged() {
	names := make([]string, 0, len(w.changed))
	for name := range w.changed {
		names = append(names, name)
	}
	clear(w.changed)
	switch {
	case len(names) > manyChanged:
		w.update(nil)
	case len(names) > 0:
		w.update(names)
	}
}

// update applies changes of these files, or of all. A failure is only logged: the next poll
// compares again.
func (w *watcher) update(names []string) {
	s := w.sync
	err := s.current(s.life.ctx)
	if err == nil {
		err = s.sync(s.life.ctx, names, names == nil && !everyChange)
	}
	if err != nil && s.life.ctx.Err() == nil {
		s.log.Warn("changes by other programs cannot be read", "directory", s.dir.path, "error", err)
	}
}
