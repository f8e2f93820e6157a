package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/tenants"
)

// openNamespace opens the namespace of a configuration in its database, for a process that uses no other one.
func openNamespace(ctx context.Context, c *config.Config, o *Options) (*engine.Engine, error) {
	db, err := openDatabase(ctx, c, o)
	if err != nil {
		return nil, err
	}
	s, path, err := openTenant(ctx, db, c, c.Namespace, o, nil, func(b *pgstore.Store, _ driver.Head) driver.Backend { return onlyTenant{b, db} })
	if err != nil {
		db.Close()
		return nil, err
	}
	m, err := selectModels(ctx, c.Model, s, o.Client)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	e, err := assemble(ctx, s, path, &m, c, o)
	if err != nil {
		return nil, errors.Join(err, m.close(), s.Close())
	}
	return e, nil
}

// onlyTenant closes its database when it is closed.
type onlyTenant struct {
	*pgstore.Store
	db *pgstore.DB
}

func (t onlyTenant) Close() error {
	err := t.Store.Close()
	t.db.Close()
	return err
}

// openDatabase connects to a database, and creates the tables of one that has none.
func openDatabase(ctx context.Context, c *config.Config, o *Options) (*pgstore.DB, error) {
	db, err := pgstore.OpenDB(ctx, c.Store.URL(), &pgstore.DBOptions{Log: o.Log})
	if err != nil {
		return nil, err
	}
	if err := db.Create(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// openTenant opens the store of a namespace, and returns the path of its index file. gone is that of [pgstore.Options], and wrap returns
// the back end in its place.
func openTenant(ctx context.Context, db *pgstore.DB, c *config.Config, namespace string, o *Options, gone func(), wrap func(*pgstore.Store, driver.Head) driver.Backend) (*store.Store, string, error) {
	b, err := pgstore.Open(ctx, db, namespace, &pgstore.Options{Gone: gone})
	if err != nil {
		return nil, "", err
	}
	head, err := b.Head(ctx)
	if err != nil {
		return nil, "", errors.Join(err, b.Close())
	}
	zone, err := zoneOf(ctx, b, head.Calendar.Zone)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("namespace %q: %w", namespace, err), b.Close())
	}
	path := indexPath(head.Store)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, "", errors.Join(err, b.Close())
	}
	return store.New(wrap(b, head), &store.Options{Now: o.Now, Zone: zone, Retention: c.History}), path, nil
}

// indexPath returns the path of the index file of a store in a database.
func indexPath(identity string) string {
	return filepath.Join(config.IndexesDir(os.Getenv), identity+".index")
}

// zoneOf returns the zone in which a store counts its days. Name is that of its calendar; if it is empty the calendar gets the zone of
// this process, before anybody counts a day in another one.
func zoneOf(ctx context.Context, b driver.Backend, name string) (*time.Location, error) {
	if name == "" {
		err := b.Write(ctx, driver.Durable, func(tx driver.Tx) error {
			c, err := tx.Calendar()
			if name = cmp.Or(c.Zone, zoneName(os.Getenv)); err != nil || c.Zone == name {
				return err
			}
			c.Zone = name
			return tx.SetCalendar(c)
		})
		if err != nil && !errors.Is(err, hippo.ErrReadOnly) {
			return nil, err
		}
	}
	zone, err := time.LoadLocation(cmp.Or(name, zoneName(os.Getenv)))
	if err != nil {
		return nil, fmt.Errorf("%w: its days are counted in %s, which this machine does not know: %w", hippo.ErrUnsupported, name, err)
	}
	return zone, nil
}

// zoneName returns the IANA name of the zone in which a new store of a database counts its days: all of its users must know it.
func zoneName(env func(string) string) string {
	name := env("TZ")
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return "UTC"
	}
	return name
}

// Tenants gives each caller the engine of its namespace in a database. It is safe for concurrent use.
type Tenants struct {
	cfg     config.Config
	options *Options
	pool    *tenants.Pool

	mu     sync.Mutex // held while the database and the models are opened
	db     *pgstore.DB
	models selection // with the built-in models all engines have the same

	limits requestLimits
	opened func(took time.Duration, err error) // nil: nobody wants to know
}

// NewTenants returns the namespaces of the database of c. namespace returns that of the caller of a context; bytes bounds the memory of
// indexes that are open, 0 means no bound. It connects to nothing before its first use.
func NewTenants(c config.Config, o *Options, namespace func(context.Context) string, bytes int64) *Tenants {
	t := &Tenants{cfg: c, options: o, limits: requestLimits{known: make(map[string]requestLimit)}}
	t.pool = tenants.New(tenants.Config{
		Open: timed(t), Namespace: namespace, Bytes: bytes, Log: o.Log,
		Size: func(e *engine.Engine) int64 { return e.Index.Resident() },
	})
	return t
}

// Engine returns the engine of the namespace of the caller; see [tenants.Pool.Engine].
func (t *Tenants) Engine(ctx context.Context) (*engine.Engine, error) { return t.pool.Engine(ctx) }

// Of is [Tenants.Engine] for a namespace.
func (t *Tenants) Of(ctx context.Context, namespace string) (*engine.Engine, error) {
	return t.pool.Of(ctx, namespace)
}

// Vacant returns the namespaces in which nobody has a right now, in order.
func (t *Tenants) Vacant(ctx context.Context, right string) ([]string, error) {
	db, err := t.database(ctx)
	if err != nil {
		return nil, err
	}
	return pgstore.Vacant(ctx, db, right)
}

// WithLeases calls fn with the rights of a namespace, whose index is not opened for it.
func (t *Tenants) WithLeases(ctx context.Context, namespace string, fn func(driver.Leases) error) error {
	return t.existing(ctx, namespace, func(b *pgstore.Store) error { return fn(b) })
}

// database returns the database, connected. After a failure the next call tries again.
func (t *Tenants) database(ctx context.Context) (*pgstore.DB, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.db == nil {
		db, err := openDatabase(ctx, &t.cfg, t.options)
		if err != nil {
			return nil, err
		}
		t.db = db
	}
	return t.db, nil
}

// sharedModels returns the models that all engines have; not shared: each has its own.
func (t *Tenants) sharedModels(ctx context.Context) (*selection, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.models.shared && sharable(t.cfg.Model) {
		m, err := selectModels(ctx, t.cfg.Model, nil, t.options.Client)
		if err != nil {
			return nil, err
		}
		m.shared = true
		t.models = m
	}
	return &t.models, nil
}

// sharable reports whether a model does not depend on the vectors that a store has.
func sharable(m config.Model) bool {
	return m.Name == config.Builtin || m.Name == config.Static || m.Name == config.NoModel
}

// Counts returns how many namespaces are open, the memory of their indexes, and how many were closed to make room.
func (t *Tenants) Counts() (open int, bytes, evicted int64) {
	return t.pool.Warm()
}

// Observe calls opened whenever a namespace was opened, or could not be. It is called before the first use.
func (t *Tenants) Observe(opened func(took time.Duration, err error)) { t.opened = opened }

// timed returns what opens the engine of a namespace, for an observer.
func timed(t *Tenants) func(context.Context, string) (*engine.Engine, error) {
	return func(ctx context.Context, namespace string) (*engine.Engine, error) {
		if t.opened == nil {
			return t.open(ctx, namespace)
		}
		began := t.options.Now()
		e, err := t.open(ctx, namespace)
		t.opened(t.options.Now().Sub(began), err)
		return e, err
	}
}

// open opens the engine of a namespace.
func (t *Tenants) open(ctx context.Context, namespace string) (*engine.Engine, error) {
	db, err := t.database(ctx)
	if err != nil {
		return nil, err
	}
	models, err := t.sharedModels(ctx)
	if err != nil {
		return nil, err
	}
	kept := &tenantStore{all: t}
	gone := func() {
		if !kept.gone.Swap(true) {
			t.pool.Leave(namespace)
		}
	}
	s, path, err := openTenant(ctx, db, &t.cfg, namespace, t.options, gone, func(b *pgstore.Store, h driver.Head) driver.Backend {
		kept.Store, kept.store = b, h.Store
		return kept
	})
	if err != nil {
		return nil, err
	}
	if !models.shared {
		own, err := selectModels(ctx, t.cfg.Model, s, t.options.Client)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		models = &own
	}
	o := *t.options
	if o.Snapshots.InDatabase {
		o.Snapshots.Place = kept.Snapshots()
	}
	e, err := assemble(ctx, s, path, models, &t.cfg, &o)
	if err != nil {
		err = errors.Join(err, s.Close())
		if !models.shared {
			err = errors.Join(err, models.close())
		}
		return nil, err
	}
	return e, nil
}

// Shut closes all engines and the database. It waits until ctx ends for what is being opened.
func (t *Tenants) Shut(ctx context.Context) error {
	err := t.pool.Shut(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	err = errors.Join(err, t.models.close())
	if t.db != nil {
		t.db.Close()
	}
	return err
}
