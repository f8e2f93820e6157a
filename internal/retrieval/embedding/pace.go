package embedding

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// batteryPoll is how often it is checked whether the machine runs on its battery.
	batteryPoll = 30 * time.Second
	// leasePoll is how often a process looks for the vectors that another one computes.
	leasePoll = time.Second
)

// Reasons for which a model does not embed now.
var (
	errBattery   = errors.New("the machine runs on its battery")
	errElsewhere = errors.New("another process embeds")
)

// pace decides when optional models embed in the background: one at a time, so that together they
// take one core, while no search and no record runs, and not on battery.
type pace struct {
	turn    chan struct{} // a token: one model at a time embeds in the background
	busy    searches
	records searches
	forced  atomic.Int32 // callers of [Follower.Embed], who wait for the vectors
	hurried atomic.Int32 // callers of [Settle] in a process that ends

	onBattery func(context.Context) bool // nil: never
	mu        sync.Mutex
	checked   time.Time // when onBattery returned battery
	battery   bool
}

func newPace(onBattery func(context.Context) bool) *pace {
	return &pace{turn: make(chan struct{}, 1), onBattery: onBattery}
}

// begin waits for the turn of an optional model and until no search and no record runs, at most so long for searches that follow
// one another. The caller calls the function that it returns when it has embedded. The error is that of ctx.
func (p *pace) begin(ctx context.Context, longest time.Duration) (end func(), err error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	end = func() { <-p.turn }
	if p.hurried.Load() > 0 {
		return end, nil
	}
	err = p.records.wait(ctx, restAfterRecord, longestRecords)
	if err == nil {
		err = p.busy.wait(ctx, restAfterSearch, longest)
	}
	if err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// saves reports whether the machine runs on its battery and nobody waits for vectors.
func (p *pace) saves(ctx context.Context) bool {
	if p.onBattery == nil || p.forced.Load() > 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := now(); p.checked.IsZero() || t.Sub(p.checked) >= batteryPoll {
		p.battery, p.checked = p.onBattery(ctx), t
	}
	return p.battery
}

// progress measures how fast a model embeds. The zero value is ready; it is safe for concurrent use.
type progress struct {
	mu       sync.Mutex
	memories float64 // of the last batches, the older ones count less
	seconds  float64
}

// keptShare is what a batch counts when the next one is done: the rate is that of some ten.
const keptShare = .9

// add counts a batch.
func (p *progress) add(memories int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.memories = keptShare*p.memories + float64(memories)
	p.seconds = keptShare*p.seconds + took.Seconds()
}

// rate returns the memories a second, waits for queries and other models included; 0: unknown.
func (p *progress) rate() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seconds == 0 {
		return 0
	}
	return p.memories / p.seconds
}

// waitToEmbed waits until a model that does not embed now may try again; a caller of
// [Follower.Embed] ends the wait. The index is up to date then.
func waitToEmbed(ctx context.Context, f *Follower, m *modelState, reason error) error {
	m.lease.release(ctx, m.id)
	poll := leasePoll
	if errors.Is(reason, errBattery) {
		poll = batteryPoll
	}
	timer := time.NewTimer(poll)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return f.index.CatchUp(ctx)
		case <-m.wake:
			if f.pace.forced.Load() > 0 {
				return f.index.CatchUp(ctx)
			}
		}
	}
}
