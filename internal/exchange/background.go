package exchange

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/internal/store"
)

const (
	// leaseName is the right to sync a store by itself.
	leaseName = "sync"
	// firstRound is when the first round begins, and checkTime how often rounds ask for writes after that.
	firstRound, checkTime = 200 * time.Millisecond, 3 * time.Second
	// restTime is the least time between two syncs after writes, so that a busy store does not fill its remotes with small files.
	restTime = 30 * time.Second
	// networkPace is how many intervals pass between syncs with a remote that is no folder, unless something was written.
	networkPace = 5
	// retryTime is the longest time until a remote is tried again that failed.
	retryTime = 15 * time.Minute
	// roundTime bounds a sync.
	roundTime = 5 * time.Minute
	// lastTime bounds the sync with which a Background ends, and endTime how long its end is awaited: a folder can hang.
	lastTime, endTime = 1500 * time.Millisecond, 2 * time.Second
)

// Background syncs the store of a process that lives long: at an interval, and soon after writes of any process. Of the processes of a store
// one does it at a time. A store without remotes costs the reading of a folder at each interval; there is a goroutine only during a round.
type Background struct {
	BackgroundOptions
	store *store.Store
	files files
	stop  context.CancelFunc
	progress

	mu      sync.Mutex // guards what follows
	timer   *time.Timer
	running chan struct{} // closed when the round that runs has ended; nil: none runs
	ended   bool
}

// BackgroundOptions say how a store is synced by itself.
type BackgroundOptions struct {
	Options
	// Every is the interval.
	Every time.Duration
	// Log receives what was done and what failed; nil discards it.
	Log *slog.Logger
}

// progress is what a round leaves for the next one.
type progress struct {
	holds bool // the right
	// written is the number of the last entry of this store when it was asked last, and sent at the last sync.
	written, sent uint64
	at, next      time.Time // of the last sync, and when remotes may be due again
	seen          map[Carrier]*seenRemote
}

// seenRemote is when a remote was tried last, and what was logged of it since it worked.
type seenRemote struct {
	at   time.Time
	said string
}

// Begin begins to sync a store. The caller ends it before it closes the store.
func Begin(s *store.Store, o BackgroundOptions) *Background {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Background{BackgroundOptions: o, store: s, files: files(o.Dir), progress: progress{seen: make(map[Carrier]*seenRemote)}}
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = time.AfterFunc(min(firstRound, o.Every), func() { b.tick(ctx) })
	return b
}

// tick runs a round, and sets the time of the next one.
func (b *Background) tick(ctx context.Context) {
	b.mu.Lock()
	if b.ended {
		b.mu.Unlock()
		return
	}
	running := make(chan struct{})
	defer close(running)
	b.running = running
	b.mu.Unlock()
	wait := b.round(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = nil
	if !b.ended {
		b.timer.Reset(wait)
	}
}

// round syncs what is due, and returns how long to wait then.
func (b *Background) round(ctx context.Context) time.Duration {
	if !b.files.exist() || !b.take(ctx) {
		return b.Every
	}
	last, err := b.own(ctx)
	if err != nil {
		b.Log.Warn("the store cannot be synced", "error", err)
		return b.Every
	}
	now := b.Now()
	settled := last == b.written
	b.written = last
	soon := settled && last != b.sent && now.Sub(b.at) >= min(restTime, b.Every)
	if soon || !now.Before(b.next) {
		b.sync(ctx, func(r *remote) bool { return b.due(r, now, soon) })
	}
	return min(checkTime, b.Every)
}

// take takes the right to sync the store, unless another process has it. It is kept until the store is closed.
func (b *Background) take(ctx context.Context) bool {
	if !b.holds {
		l, err := b.store.Leases().Lease(ctx, leaseName, b.Every)
		b.holds = err == nil && l.Held
	}
	return b.holds
}

// own returns the number of the last entry of the store itself; 0 if it is alone.
func (b *Background) own(ctx context.Context) (last uint64, err error) {
	id, v, err := store.Replica(ctx, b.store)
	return v[id], err
}

// due reports whether it is time for a remote; soon: because something was written.
func (b *Background) due(r *remote, now time.Time, soon bool) bool {
	if f := r.failure; f != nil {
		return now.Sub(f.At) >= retryAfter(b.Every, f.Times)
	}
	seen, pace := b.seen[r.carrier], time.Duration(1)
	if kindPattern.MatchString(string(r.carrier)) {
		pace = networkPace
	}
	return soon || seen == nil || now.Sub(seen.at) >= pace*b.Every
}

// retryAfter is how long to wait after a number of failures: the interval, then twice as long each time.
func retryAfter(every time.Duration, times int) time.Duration {
	d := every
	for ; times > 1 && d < retryTime; times-- {
		d *= 2
	}
	return max(every, min(d, retryTime))
}

// sync syncs with the remotes that due accepts.
func (b *Background) sync(ctx context.Context, due func(*remote) bool) {
	ctx, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	b.at = b.Now()
	b.next = b.at.Add(b.Every)
	x, err := Open(ctx, b.store, b.Options)
	if err != nil {
		b.Log.Warn("the store cannot be synced now", "error", err)
		return
	}
	list, err := syncDue(ctx, x, due)
	if err = errors.Join(err, x.Close()); err != nil && ctx.Err() == nil {
		b.Log.Warn("the store cannot be synced", "error", err)
	}
	for i := range list {
		b.report(&list[i])
	}
	b.sent = b.written
}

// report logs what was done with a remote, and the same failure once.
func (b *Background) report(o *Outcome) {
	seen := b.seen[o.Carrier]
	if seen == nil {
		seen = &seenRemote{}
		b.seen[o.Carrier] = seen
	}
	seen.at = b.at
	switch {
	case errors.Is(o.Err, context.Canceled):
	case o.Err != nil:
		if text := o.Err.Error(); text != seen.said {
			seen.said = text
			b.Log.Warn("sync failed", "carrier", o.Carrier.String(), "error", o.Err)
		}
	default:
		seen.said = ""
		if o.Written+o.Entries > 0 {
			b.Log.Info("synced", "carrier", o.Carrier.String(), "files", o.Written, "entries", o.Entries, "changed", len(o.Changed), "conflicts", len(o.Conflicts))
		}
	}
}

// End ends the rounds, and sends what was written since the last one if that takes no time worth mentioning. It returns after two seconds at
// the latest: what hangs then ends with the process. Nil is a Background that has not begun.
func (b *Background) End() {
	if b == nil {
		return
	}
	b.mu.Lock()
	b.ended = true
	b.timer.Stop()
	running := b.running
	b.mu.Unlock()
	b.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if running != nil {
			<-running
		}
		b.finish()
	}()
	t := time.NewTimer(endTime)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}

// finish sends what was written since the last sync to the remotes that work.
func (b *Background) finish() {
	if !b.holds || !b.files.exist() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	if last, err := b.own(ctx); err == nil && last != b.sent {
		b.sync(ctx, func(r *remote) bool { return r.failure == nil })
	}
}
