package httpd

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"
)

// Limits bound what callers may do at a time; 0 is the default.
type Limits struct {
	// Rate is how many requests a second a token may send, with bursts of twice as many. Default: 1,000.
	Rate float64
	// Requests is how many requests are answered at a time, streams aside. Default: 256.
	Requests int
	// Connections is how many connections are open at a time. Default: 4,096.
	Connections int
}

const (
	// queueTime is how long a request waits for its turn.
	queueTime = 10 * time.Second
	// failures a second that an address may send, with a burst.
	failureRate, failureBurst = 1, 20
	// maxKeys is how many tokens and addresses are remembered.
	maxKeys = 10_000
)

// limiter applies [Limits].
type limiter struct {
	Limits
	now   func() time.Time
	slots chan struct{}

	mu       sync.Mutex
	requests map[string]*rate.Limiter // by the name of a token
	failures map[string]*rate.Limiter // by address
	quotas   map[string]*rate.Limiter // by namespace
	callers  map[string]*places       // by their names
	// connections counts those that are open, by address.
	connections map[string]int
}

func newLimiter(l Limits, now func() time.Time) *limiter {
	l.Rate, l.Requests, l.Connections = cmp.Or(l.Rate, 1000), cmp.Or(l.Requests, 256), cmp.Or(l.Connections, 4096)
	return &limiter{
		Limits: l, now: now, slots: make(chan struct{}, l.Requests),
		requests: make(map[string]*rate.Limiter), failures: make(map[string]*rate.Limiter), quotas: make(map[string]*rate.Limiter),
		callers: make(map[string]*places), connections: make(map[string]int),
	}
}

// listen bounds the connections of a listener; further ones wait, and those of an address that has its part are closed.
func (l *limiter) listen(inner net.Listener) net.Listener {
	return addressListener{netutil.LimitListener(inner, l.Connections), l}
}

// begin waits for the turn of a request; false if it does not come in time.
func (l *limiter) begin(ctx context.Context) (end func(), ok bool) {
	if !take(ctx, l.slots) {
		return nil, false
	}
	return func() { <-l.slots }, true
}

// take waits for a place, at most [queueTime].
func take(ctx context.Context, places chan<- struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, queueTime)
	defer cancel()
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// allow counts a request of a token and reports whether it may go on.
func (l *limiter) allow(name string) bool {
	return l.of(l.requests, name, rate.Limit(l.Rate), int(2*l.Rate)+1).AllowN(l.now(), 1)
}

// within counts a request of a namespace that may send some a minute, in bursts of as many. If there were too many it returns how long to
// wait.
func (l *limiter) within(namespace string, perMinute int) (wait time.Duration) {
	every := rate.Limit(float64(perMinute) / time.Minute.Seconds())
	x := l.of(l.quotas, namespace, every, perMinute)
	now := l.now()
	if x.Burst() != perMinute { // it was changed
		x.SetLimitAt(now, every)
		x.SetBurstAt(now, perMinute)
	}
	if r := x.ReserveN(now, 1); r.DelayFrom(now) > 0 {
		wait = r.DelayFrom(now)
		r.CancelAt(now)
	}
	return wait
}

// failed counts a request with a wrong token, and reports whether its address may go on trying.
func (l *limiter) failed(r *http.Request) bool {
	return l.of(l.failures, hostOf(r), failureRate, failureBurst).AllowN(l.now(), 1)
}

// of returns the limiter of a key. A map that is full is begun again: that forgives everybody once.
func (l *limiter) of(all map[string]*rate.Limiter, key string, every rate.Limit, burst int) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := all[key]
	if x == nil {
		if len(all) >= maxKeys {
			clear(all)
		}
		x = rate.NewLimiter(every, burst)
		all[key] = x
	}
	return x
}
