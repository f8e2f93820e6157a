package embedding

import (
	"context"
	"runtime"
	"time"
)

const (
	// longestStand is how long work waits for searches before it goes on beside them, and then for as long: the plan of a
	// consolidation ends also on a server that is never idle.
	longestStand = 60 * time.Millisecond
	// restAside is how long no search may run before such work goes on at once.
	restAside = 5 * time.Millisecond
)

// StandAside returns what a piece of background work of one goroutine calls every millisecond or so, to let searches pass:
// while some run or have just ended it waits. Where they never stop it waits for [longestStand] in all, and then the work goes
// on beside them for as long. The error is that of the context. One goroutine calls it at a time.
func StandAside(f *Follower) func(ctx context.Context) error {
	a := &aside{searches: &f.pace.busy, resumed: now()}
	return a.pass
}

// aside is a work that lets searches pass.
type aside struct {
	*searches
	resumed time.Time     // when pass returned
	pending time.Duration // what it has waited and not worked since
	beside  bool          // it works until nothing is left of it
}

// pass waits while searches run, unless the work has waited for too long.
func (a *aside) pass(ctx context.Context) error {
	start := now()
	a.pending = max(0, a.pending-start.Sub(a.resumed))
	a.beside = a.beside && a.pending > 0
	a.resumed = start
	if a.beside {
		runtime.Gosched() // what a search has to do comes first on this processor
		return ctx.Err()
	}
	err := a.quiet(ctx, longestStand-a.pending)
	a.resumed = now()
	a.pending += a.resumed.Sub(start)
	a.beside = a.pending >= longestStand
	return err
}

// quiet waits until no search has run for [restAside], at most so long. The error is that of ctx.
func (a *aside) quiet(ctx context.Context, most time.Duration) error {
	var late <-chan time.Time
	for {
		rest, ended := a.rest(restAside)
		if rest <= 0 && ended == nil {
			return ctx.Err()
		}
		if late == nil {
			late = time.After(most)
		}
		var timer <-chan time.Time
		if rest > 0 {
			timer = time.After(rest)
		}
		select {
		case <-timer:
		case <-ended:
		case <-late:
			return ctx.Err()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
