package memstore

import (
	"context"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

// leases are the rights of a store that no other process sees: its handle has them all.
type leases struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// Lease implements [driver.Leases].
func (l *leases) Lease(ctx context.Context, name string, d time.Duration) (driver.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.until[name]
	if d <= 0 {
		return driver.Lease{Held: before.After(now()), Until: before}, ctx.Err()
	}
	if l.until == nil {
		l.until = make(map[string]time.Time)
	}
	l.until[name] = now().Add(d)
	return driver.Lease{Held: true, Until: before}, ctx.Err()
}

// Release implements [driver.Leases].
func (l *leases) Release(_ context.Context, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until[name].After(now()) {
		l.until[name] = now()
	}
	return nil
}

func now() time.Time { return time.Now() } //nolint:forbidigo // processes compare these times
