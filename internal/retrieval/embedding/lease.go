package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

// leaseTime is how long the right to embed is kept without a batch: it is renewed with each one.
const leaseTime = 30 * time.Second

// lease is the right to embed the memories of a store in the background. One process has it at a time, so that no vector is
// computed twice; the others read the vectors that it has stored. It is safe for concurrent use.
type lease struct {
	rights driver.Leases
	name   string

	mu      sync.Mutex
	holders map[string]bool // models of this process that embed
}

// newLease returns the lease of a group of models.
func newLease(rights driver.Leases, group string) *lease {
	name := "embedding"
	if group != "" {
		sum := sha256.Sum256([]byte(group))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	return &lease{rights: rights, name: name, holders: make(map[string]bool)}
}

// take reports whether the process has the lease, after it has tried to get it for a model, or to keep it. A lease that fails, as
// on some network file systems, hinders nobody: then vectors may be computed twice.
func (l *lease) take(ctx context.Context, model string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if got, err := l.rights.Lease(ctx, l.name, leaseTime); err == nil && !got.Held {
		return false
	}
	l.holders[model] = true
	return true
}

// elsewhere reports whether another process has the lease.
func (l *lease) elsewhere(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.holders) > 0 {
		return false
	}
	got, err := l.rights.Lease(ctx, l.name, 0)
	return err == nil && got.Elsewhere(now())
}

// release gives the lease back when no model of this process needs it.
func (l *lease) release(ctx context.Context, model string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := l.holders[model]
	delete(l.holders, model)
	if had && len(l.holders) == 0 {
		_ = l.rights.Release(context.WithoutCancel(ctx), l.name) // it ends by itself
	}
}
