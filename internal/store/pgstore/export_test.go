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

// Migrations returns what each migration declares that it needs.
func Migrations() (out [][]PlannedTable) {
	for _, script := range migrations() {
		out = append(out, declared(script))
	}
	return out
}

// PlanOf returns the plan of scripts for tables, each with the size of its rows and that with indexes.
func PlanOf(tables map[string][2]int64, scripts ...string) (p Plan) {
	known := make(map[string]sizes)
	for name, s := range tables {
		known[name] = sizes{s[0], s[1]}
	}
	p.add(scripts, known)
	return p
}

// MigrateTo brings an empty database to an older version.
func MigrateTo(ctx context.Context, d *DB, n int) error {
	c, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	return pgx.BeginFunc(ctx, c, func(t pgx.Tx) error {
		_, err := migrate(ctx, t, migrations()[:n])
		return err
	})
}

// LocksOf runs migration n in an empty database that has those before it, and returns the locks that it takes on the tables of these.
func LocksOf(ctx context.Context, d *DB, n int) (map[string][]string, error) {
	out := make(map[string][]string)
	if err := MigrateTo(ctx, d, n); err != nil {
		return nil, err
	}
	c, err := d.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	return out, pgx.BeginFunc(ctx, c, func(t pgx.Tx) error {
		var before []string
		if before, err = collect(ctx, t, pgx.RowTo[string], "SELECT relname::text FROM pg_catalog.pg_class WHERE relkind = 'r' AND relnamespace = 'hippo'::regnamespace AND relname <> 'schema'"); err != nil {
			return err
		}
		if _, err := migrate(ctx, t, migrations()[:n+1]); err != nil {
			return err
		}
		_, err = collect(ctx, t, func(row pgx.CollectableRow) (struct{}, error) {
			var table, mode string
			err := row.Scan(&table, &mode)
			out[table] = append(out[table], mode)
			return struct{}{}, err
		}, "SELECT c.relname::text, l.mode FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE l.pid = pg_backend_pid() AND c.relname = ANY($1) AND c.relnamespace = 'hippo'::regnamespace", before)
		return err
	})
}
