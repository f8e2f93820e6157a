package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
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

// Texts returns the first column of a query on a connection of the pool.
func Texts(ctx context.Context, d *DB, query string) (list []string, err error) {
	err = d.view(ctx, func(q querier) (err error) {
		list, err = collect(ctx, q, pgx.RowTo[string], query)
		return err
	})
	return list, err
}

// Pages returns the size of the contents of the largest page of changes, and how many there are.
func Pages(ctx context.Context, s *Store) (largest, pages int, err error) {
	head, err := s.Head(ctx)
	for since := hippo.Revision(0); err == nil && since < head.Revision; pages++ {
		var page []driver.Change
		err = s.view(ctx, func(q querier) (err error) {
			page, err = s.page(ctx, q, since, head.Revision)
			return err
		})
		size := 0
		for _, c := range page {
			size, since = size+len(c.Memory.Content), c.Revision
		}
		largest = max(largest, size)
	}
	return largest, pages, err
}
