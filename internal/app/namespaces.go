package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
)

// OpenNamespaces returns what manages the namespaces of the store of a configuration. The caller ends its use.
func OpenNamespaces(c config.Config, o *Options) (admin memory.NamespaceAdmin, end func(context.Context) error, err error) {
	switch {
	case c.Store.Remote():
		return nil, nil, fmt.Errorf("%w: the store is on a server, %s: run this command there, or call its REST interface (GET /api/v1/namespaces)", hippo.ErrUnsupported, c.Store)
	case c.Store.Database():
		t := NewTenants(c, o, func(context.Context) string { return c.Namespace }, 0)
		return t.Admin(), t.Shut, nil
	default:
		p := NewOpener(c, o)
		return memory.NewNamespaceAdmin(p.Engine), p.Close, nil
	}
}

// Admin manages the namespaces.
func (t *Tenants) Admin() memory.NamespaceAdmin { return tenantAdmin{t} }

// tenantAdmin manages the namespaces of a database.
type tenantAdmin struct{ *Tenants }

// List implements [memory.NamespaceAdmin].
func (a tenantAdmin) List(ctx context.Context) ([]api.Namespace, error) {
	db, err := a.database(ctx)
	if err != nil {
		return nil, err
	}
	return pgstore.ListTenants(ctx, db)
}

// Usage implements [memory.NamespaceAdmin].
func (a tenantAdmin) Usage(ctx context.Context, name string) (u api.NamespaceUsage, err error) {
	db, err := a.database(ctx)
	if err != nil {
		return u, err
	}
	return pgstore.UsageOf(ctx, db, name)
}

// Limit implements [memory.NamespaceAdmin].
func (a tenantAdmin) Limit(ctx context.Context, name string, by api.NamespaceLimit) (l api.NamespaceLimits, err error) {
	db, err := a.database(ctx)
	if err != nil {
		return l, err
	}
	return pgstore.Limit(ctx, db, name, by)
}

// Memories implements [memory.NamespaceAdmin].
func (a tenantAdmin) Memories(ctx context.Context, name string) (*engine.Memories, error) {
	if err := a.existing(ctx, name, func(*pgstore.Store) error { return nil }); err != nil {
		return nil, err
	}
	e, err := a.Of(ctx, name)
	if err != nil {
		return nil, err
	}
	return e.In(hippo.Scope{Namespace: name, Rights: hippo.AllRights}), nil
}

// existing calls fn with the store of a namespace, which has to be there.
func (t *Tenants) existing(ctx context.Context, name string, fn func(*pgstore.Store) error) error {
	db, err := t.database(ctx)
	if err != nil {
		return err
	}
	b, err := pgstore.Open(ctx, db, name, &pgstore.Options{Existing: true})
	if err != nil {
		return err
	}
	return errors.Join(fn(b), b.Close())
}

// Delete implements [memory.NamespaceAdmin]. It deletes the index file on this machine as well. Other machines delete theirs when they close their
// engine of the namespace.
func (a tenantAdmin) Delete(ctx context.Context, name string) error {
	store := ""
	err := a.existing(ctx, name, func(b *pgstore.Store) error {
		h, err := b.Head(ctx)
		store = h.Store
		return err
	})
	if err != nil {
		return err
	}
	db, err := a.database(ctx)
	if err != nil {
		return err
	}
	if err := db.Drop(ctx, name); err != nil {
		return err
	}
	a.pool.Leave(name)
	return a.removeIndex(ctx, store)
}

// removeIndex removes the index file of a deleted store, and its snapshots.
func (t *Tenants) removeIndex(ctx context.Context, store string) error {
	var err error
	for _, path := range []string{indexPath(store), indexPath(store) + ".lock"} {
		if failed := os.Remove(path); !errors.Is(failed, os.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	if s, ok := t.options.Snapshots.Place.(interface {
		Remove(ctx context.Context, store string) error
	}); ok {
		err = errors.Join(err, s.Remove(ctx, store))
	}
	if err != nil {
		return fmt.Errorf("%w: the namespace is deleted, and its index file is not: %w", hippo.ErrUnavailable, err)
	}
	return nil
}

// tenantStore is the store of a namespace of Tenants. When it was deleted the next caller opens a new one, and the index files go with
// the last caller of this one.
type tenantStore struct {
	*pgstore.Store
	all   *Tenants
	store string // the identity of the store
	gone  atomic.Bool
}

// closingTime bounds how long a closing store waits to learn whether it was deleted, and for its index files to be removed.
const closingTime = 5 * time.Second

// Close implements [driver.Backend]. The index is closed, and its file perhaps written, before.
func (s *tenantStore) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closingTime)
	defer cancel()
	_, _ = s.Head(ctx) // which notices that it is gone
	err := s.Store.Close()
	if s.gone.Load() {
		err = errors.Join(err, s.all.removeIndex(ctx, s.store))
	}
	return err
}

const (
	// limitFresh is how long a limit of requests that was read counts.
	limitFresh = 10 * time.Second
	// limitWait bounds how long a request waits for the limit to be read.
	limitWait = 2 * time.Second
	// maxLimits bounds the limits that are remembered.
	maxLimits = 10_000
)

// requestLimits remembers how many requests a minute namespaces may send.
type requestLimits struct {
	mu    sync.Mutex
	known map[string]requestLimit
}

type requestLimit struct {
	n    int
	read time.Time
}

// RequestLimit returns how many requests a minute this server answers for a namespace; 0: there is no limit. A change takes effect within
// seconds. While the database does not answer, the limit that was read last counts.
func (t *Tenants) RequestLimit(ctx context.Context, namespace string) int {
	now := t.options.Now()
	t.limits.mu.Lock()
	l, known := t.limits.known[namespace]
	if known && now.Sub(l.read) < limitFresh {
		t.limits.mu.Unlock()
		return l.n
	}
	if !known && len(t.limits.known) >= maxLimits {
		clear(t.limits.known)
	}
	t.limits.known[namespace] = requestLimit{l.n, now} // others do not read it meanwhile
	t.limits.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, limitWait)
	defer cancel()
	db, err := t.database(ctx)
	if err != nil {
		return l.n
	}
	n, err := pgstore.RequestLimit(ctx, db, namespace)
	if err != nil {
		return l.n
	}
	t.limits.mu.Lock()
	defer t.limits.mu.Unlock()
	t.limits.known[namespace] = requestLimit{n, now}
	return n
}
