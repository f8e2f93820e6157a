package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const takeLease = `INSERT INTO hippo.lease AS l (tenant, name, holder, until) VALUES ($1, $2, $3, clock_timestamp() + $4::interval)
	ON CONFLICT (tenant, name) DO UPDATE SET holder = excluded.holder, until = excluded.until
	WHERE l.holder = excluded.holder OR l.until <= clock_timestamp() RETURNING true`

// Lease takes or renews a lease for some time from now, by the clock of the server. It reports false while another handle holds it.
// Cost: one round trip.
func (p *place) Lease(ctx context.Context, name string, d time.Duration) (held bool, err error) {
	err = p.view(ctx, func(q querier) error {
		p.known.Store(true)
		rows, err := collect(ctx, q, pgx.RowTo[bool], takeLease, p.tenant, []byte(name), p.holder, d)
		held = len(rows) > 0
		return err
	})
	return held, err
}

// Release gives a lease up that this handle holds; others are left as they are.
func (p *place) Release(ctx context.Context, name string) error {
	return p.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, pgx.RowTo[bool], "DELETE FROM hippo.lease WHERE tenant = $1 AND name = $2 AND holder = $3 RETURNING true", p.tenant, []byte(name), p.holder)
		return err
	})
}
