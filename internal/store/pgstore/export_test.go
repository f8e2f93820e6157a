package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Suitable is what [OpenDB] asks of a server.
func Suitable(d *DB, version int, encoding string) error { return d.suitable(version, encoding) }

// Tables are those with rows of a tenant.
func Tables() []string { return tables() }

// SetSchema sets the version of the tables, as another program would.
func SetSchema(ctx context.Context, d *DB, version int) error {
	d.current.Store(false)
	return d.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, pgx.RowTo[int], "UPDATE hippo.schema SET version = $1 RETURNING version", version)
		return err
	})
}
