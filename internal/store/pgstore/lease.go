package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

// The first statement takes a right that has a row, the second inserts a row. Both do nothing for a deleted tenant, so that no row outlives
// it. The time is that of the transaction: a cluster computes the values of a statement before it sends it to a worker, and refuses
// functions whose result may change in between.
const (
	takeLease = `UPDATE hippo.lease SET holder = $3, until = now() + $4::interval, before = until
	WHERE tenant = $1 AND name = $2 AND (holder = $3 OR until <= now())
	AND EXISTS (SELECT FROM hippo.tenant WHERE tenant = $1 AND store = $5) RETURNING true, before`
	newLease = `INSERT INTO hippo.lease (tenant, name, holder, until)
	SELECT tenant, $2, $3, now() + $4::interval FROM hippo.tenant WHERE tenant = $1 AND store = $5 FOR KEY SHARE
	ON CONFLICT (tenant, name) DO NOTHING RETURNING true, before`
	selectLease = "SELECT holder = $3 AND until > now(), until FROM hippo.lease WHERE tenant = $1 AND name = $2"
)

func scanLease(row pgx.CollectableRow) (l driver.Lease, err error) {
	var until pgtype.Timestamptz
	err = row.Scan(&l.Held, &until)
	l.Until = timeOf(until)
	return l, err
}

// Lease implements [driver.Leases], by the clock of the server. Cost: one round trip.
func (p *place) Lease(ctx context.Context, name string, d time.Duration) (l driver.Lease, err error) {
	err = p.view(ctx, func(q querier) error {
		var found []driver.Lease
		take := func(rows pgx.Rows) error {
			list, err := pgx.CollectRows(rows, scanLease)
			found = append(found, list...)
			return err
		}
		b := &pgx.Batch{}
		if d > 0 {
			p.wrote.Store(true)
			for _, sql := range []string{takeLease, newLease} {
				b.Queue(sql, p.tenant, name, p.holder, d, p.store).Query(take)
			}
		}
		b.Queue(selectLease, p.tenant, name, p.holder).Query(take)
		err := q.SendBatch(ctx, b).Close()
		l = driver.Lease{}
		if len(found) > 0 {
			l = found[0]
		}
		return err
	})
	return l, err
}

const releaseLease = "UPDATE hippo.lease SET until = now() WHERE tenant = $1 AND name = $3 AND holder = $2 AND until > now()"

// Release implements [driver.Leases].
func (p *place) Release(ctx context.Context, name string) error {
	return p.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, pgx.RowTo[string], releaseLease+" RETURNING name", p.tenant, p.holder, name)
		return err
	})
}

// Vacant returns the tenants in which nobody has a right now, by name. Cost: a pass over table tenant.
func Vacant(ctx context.Context, d *DB, right string) (tenants []string, err error) {
	err = d.view(ctx, func(q querier) (err error) {
		tenants, err = collect(ctx, q, pgx.RowTo[string], `SELECT tenant FROM hippo.tenant t WHERE NOT EXISTS
			(SELECT FROM hippo.lease l WHERE l.tenant = t.tenant AND l.name = $1 AND l.until > now()) ORDER BY tenant`, right)
		return err
	})
	return tenants, err
}
