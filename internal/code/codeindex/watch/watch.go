// Package watch runs an update when files below a root change: soon after the system reports it, and
// now and then in any case, because not every file system reports everything.
package watch

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options adjusts [Run]; zero fields have defaults.
type Options struct {
	// Debounce is how long no file has to change before an update begins; while files keep changing one
	// begins after five times as long. Default: 50 ms.
	Debounce time.Duration
	// Poll is how often an update runs in any case, Fallback how often if a folder cannot be
	// watched, or the root is gone. Defaults: a minute and two seconds.
	Poll, Fallback time.Duration
	// NoNotify polls only.
	NoNotify bool
	// Log receives why folders cannot be watched; nil discards it.
	Log *slog.Logger
}

const (
	defaultDebounce = 50 * time.Millisecond
	defaultPoll     = time.Minute
	defaultFallback = 2 * time.Second
	// maxDebounces bounds for how many debounce times changes wait.
	maxDebounces = 5
)

func (o Options) complete() Options {
	for _, d := range []struct {
		value *time.Duration
		or    time.Duration
	}{{&o.Debounce, defaultDebounce}, {&o.Poll, defaultPoll}, {&o.Fallback, defaultFallback}} {
		if *d.value <= 0 {
			*d.value = d.or
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Run updates until ctx ends, and returns its error. update returns the folders to watch, relative to
// root with slashes; nil: they are as they were. It is called by one goroutine.
func Run(ctx context.Context, root string, update func(context.Context) (folders []string), o Options) error {
	root = filepath.Clean(root)
	w := &watcher{root: root, update: update, options: o.complete(), watched: make(map[string]bool), refused: make(map[string]bool)}
	if !o.NoNotify {
		notify, err := fsnotify.NewWatcher()
		if err != nil {
			w.options.Log.Warn("folders cannot be watched, so they are polled", "root", root, "error", err)
		} else {
			w.notify = notify
			defer notify.Close() //nolint:errcheck // nothing depends on it
		}
	}
	return w.run(ctx)
}

type watcher struct {
	root    string
	update  func(context.Context) []string
	options Options
	notify  *fsnotify.Watcher // nil: none
	watched map[string]bool
	// refused are the folders that cannot be watched.
	refused map[string]bool
}

func (w *watcher) run(ctx context.Context) error {
	debounced, latest, poll := time.NewTimer(0), stopped(), time.NewTimer(w.pause())
	defer debounced.Stop()
	defer latest.Stop()
	defer poll.Stop()
	pending := false
	var events chan fsnotify.Event
	var failures chan error
	if w.notify != nil {
		events, failures = w.notify.Events, w.notify.Errors
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-events:
			if e.Has(fsnotify.Chmod) && e.Op == fsnotify.Chmod {
				continue
			}
			if !pending {
				latest.Reset(maxDebounces * w.options.Debounce)
			}
			if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
				w.forget(e.Name)
			}
			pending = true
			debounced.Reset(w.options.Debounce)
			continue
		case err := <-failures: // mostly an overflow of the queue: anything may have changed
			w.options.Log.Debug("watch", "root", w.root, "error", err)
		case <-debounced.C:
		case <-latest.C:
		case <-poll.C:
		}
		pending = false
		latest.Stop()
		if w.follow(w.update(ctx)) { // what was written before its folder was watched was not reported
			debounced.Reset(0)
		}
		poll.Reset(w.pause())
	}
}

// pause is how long to wait for the next update if nothing is reported.
func (w *watcher) pause() time.Duration {
	if w.notify == nil || len(w.refused) > 0 || !w.watched[w.root] {
		return w.options.Fallback
	}
	return w.options.Poll
}

// forget watches a folder and those below it no more: others may have their names by now, and the system watches folders
// and no names.
func (w *watcher) forget(folder string) {
	if !w.watched[folder] {
		return
	}
	for f := range w.watched {
		if f == folder || strings.HasPrefix(f, folder+string(filepath.Separator)) {
			_ = w.notify.Remove(f) // it may be deleted
			delete(w.watched, f)
		}
	}
}

// stopped returns a timer that does not run.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// follow watches the folders of a tree, and no others. It reports whether some are newly watched.
func (w *watcher) follow(folders []string) (grown bool) {
	if w.notify == nil || folders == nil {
		return false
	}
	now, refused := make(map[string]bool, len(folders)), make(map[string]bool)
	for _, f := range folders {
		full := filepath.Join(w.root, filepath.FromSlash(f))
		if w.watched[full] {
			now[full] = true
			continue
		}
		if err := w.notify.Add(full); err != nil {
			refused[full] = true
			if !w.refused[full] {
				w.options.Log.Warn("a folder cannot be watched, so the tree is polled", "folder", full, "error", err)
			}
			continue
		}
		now[full], grown = true, true
	}
	for f := range w.watched {
		if !now[f] {
			_ = w.notify.Remove(f) // it may be deleted
		}
	}
	w.watched, w.refused = now, refused
	return grown
}
