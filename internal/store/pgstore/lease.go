package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hippo-memory/hippo/internal/store/driver"
)

// takeLease takes a right, unless the tenant was deleted: of that nothing must be left.
const takeLease = `INSERT INTO hippo.lease AS l (tenant, name, holder, until)
	SELECT tenant, $2, $3, clock_timestamp() + $4::interval FROM hippo.tenant WHERE tenant = $1 AND store = $5 FOR KEY SHARE
	ON CONFLICT (tenant, name) DO UPDATE SET holder = excluded.holder, until = excluded.until, before = l.until
	WHERE l.holder = excluded.holder OR l.until <= clock_timestamp() RETURNING true, before`

const selectLease = "SELECT holder = $3 AND until > clock_timestamp(), until FROM hippo.lease WHERE tenant = $1 AND name = $2"

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
			b.Queue(takeLease, p.tenant, name, p.holder, d, p.store).Query(take)
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

const releaseLease = "UPDATE hippo.lease SET until = clock_timestamp() WHERE tenant = $1 AND name = $3 AND holder = $2 AND until > clock_timestamp()"

// Release implements [driver.Leases].
func (p *place) Release(ctx context.Context, name string) error {
	return p.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, pgx.RowTo[string], releaseLease+" RETURNING name", p.tenant, p.holder, name)
		return err
	})
}
