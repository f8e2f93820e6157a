// Package pgstore keeps memories in a Postgres database, in which one tenant is one store. Any number of processes may share it.
//
// The tables are in migrations/. Reads are one statement each, or a few in one round trip, and never wait for writes. Writes of
// concurrent callers are committed together, in three round trips and those of what they read: the transactions of a group change
// values in RAM (changes), and these are written at its end. A writer holds the row of its tenant, so commits have the order of their
// revisions.
//
// A connection that breaks in a commit leaves it open whether that took place. The number of the last commit, which is written with it,
// decides; until it can be read there is no answer to the caller.
//
// Nothing depends on the state of a connection between transactions, but for prepared statements where no proxy is found, and every
// statement names the tenant, so that the tables can be distributed by it.
package pgstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Store is a [driver.Backend] on one tenant of a [DB]. It is safe for concurrent use.
type Store struct {
	*place
	writer *writer
	bad    *unreadable
	vectors
	relations
	history
}

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// Existing refuses a tenant that is not there, with [hippo.ErrNotFound], in place of creating it.
	Existing bool
	// Gone is called by calls that find that the tenant was deleted, before they fail.
	Gone func()
}

// Open opens a tenant, and creates it if it does not exist. The empty name is a tenant as any other.
//
// Errors: [hippo.ErrInvalid] for a name with NUL or one that is too long, [hippo.ErrUnsupported] if the tables are not those of this
// program, and those of the server.
func Open(ctx context.Context, db *DB, tenant string, o *Options) (*Store, error) {
	if o == nil {
		o = &Options{}
	}
	if err := validTenant(tenant); err != nil {
		return nil, err
	}
	if err := db.checkSchema(ctx); err != nil {
		return nil, err
	}
	p := &place{db: db, tenant: tenant, gone: o.Gone}
	if _, err := rand.Read(p.holder.Bytes[:]); err != nil {
		return nil, err
	}
	p.holder.Valid = true
	if err := p.find(ctx, o.Existing); err != nil {
		return nil, err
	}
	bad := newUnreadable(p.String(), db.log)
	w := newWriter(p, bad)
	return &Store{place: p, writer: w, bad: bad, vectors: vectors{p, w}, relations: relations{p, w}, history: history{p, bad}}, nil
}

// Write implements [driver.Backend].
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return s.writer.write(ctx, d, func(t *tx) error { return fn(t) })
}

// closeTimeout bounds how long Close tidies up.
const closeTimeout = 2 * time.Second

// Close implements [driver.Backend].
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.writer.close()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	s.leave(ctx)
	return nil
}

// place is a tenant as one handle has it open.
type place struct {
	db     *DB
	tenant string
	// store is the identity of the store that was opened: after a deletion another one may have the name.
	store string
	gone  func() // nil: nobody wants to know
	// holder names the handle: in its leases, and beside the number of its last commit.
	holder pgtype.UUID
	closed atomic.Bool
	// wrote: the tables may have rows of the handle.
	wrote atomic.Bool
}

// String names the tenant and its database.
func (p *place) String() string { return fmt.Sprintf("tenant %q of %s", p.tenant, p.db) }

// view reads; see [DB.view].
func (p *place) view(ctx context.Context, read func(querier) error) error {
	if p.closed.Load() {
		return fmt.Errorf("%w: the store is closed", hippo.ErrUnavailable)
	}
	return p.db.view(ctx, read)
}

// find finds the store of a tenant, and makes one if there is none.
func (p *place) find(ctx context.Context, existing bool) error {
	for {
		var found []string
		err := p.db.view(ctx, func(q querier) (err error) {
			found, err = collect(ctx, q, pgx.RowTo[string], "SELECT store FROM hippo.tenant WHERE tenant = $1", p.tenant)
			return err
		})
		switch {
		case err != nil:
			return err
		case len(found) > 0:
			p.store = found[0]
			return nil
		case existing:
			return unknown(p.db, p.tenant)
		}
		if err := create(ctx, p.db, p.tenant); err != nil {
			return err
		}
	}
}

// create makes a tenant that is not there.
func create(ctx context.Context, d *DB, tenant string) error {
	return d.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, pgx.RowTo[string], "INSERT INTO hippo.tenant (tenant, store) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING store", tenant, rand.Text())
		return err
	})
}

// unknown is the error of a tenant that is not there.
func unknown(d *DB, tenant string) error {
	return fmt.Errorf("%w: %s has no tenant %q", hippo.ErrNotFound, d, tenant)
}

// deleteWriter removes what handles that have ended wrote, and keeps when they did last.
const deleteWriter = `WITH ended AS (DELETE FROM hippo.writer WHERE tenant = $1 AND (holder = $2 OR at < now() - interval '1 day') RETURNING at)
	UPDATE hippo.tenant t SET used_at = e.at FROM (SELECT max(at) AS at FROM ended) e WHERE t.tenant = $1 AND (t.used_at < e.at OR t.used_at IS NULL)`

// leave removes the rows of the handle. A later handle removes those that it cannot remove.
func (p *place) leave(ctx context.Context) {
	if !p.wrote.Load() {
		return
	}
	_ = p.db.view(ctx, func(q querier) error {
		b := &pgx.Batch{}
		b.Queue(deleteWriter, p.tenant, p.holder)
		return q.SendBatch(ctx, b).Close()
	})
}
