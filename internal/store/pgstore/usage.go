package pgstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

const selectTenants = `SELECT t.tenant, memories, forgotten, relations, texts, max_memories, max_texts, max_requests,
	greatest(used_at, (SELECT max(at) FROM hippo.writer w WHERE w.tenant = t.tenant)), created_at FROM hippo.tenant t`

func scanTenant(row pgx.CollectableRow) (u api.NamespaceUsage, err error) {
	var used, created pgtype.Timestamptz
	err = row.Scan(&u.Name, &u.Memories, &u.Forgotten, &u.Relations, &u.Bytes, &u.Limits.Memories, &u.Limits.Bytes, &u.Limits.Requests, &used, &created)
	u.Memories -= u.Forgotten
	u.Used, u.Created = timeOf(used), timeOf(created)
	return u, err
}

// ListTenants returns the tenants of a database, by name. Cost: a pass over table tenant.
func ListTenants(ctx context.Context, d *DB) (list []api.Namespace, err error) {
	err = d.view(ctx, func(q querier) error {
		found, err := collect(ctx, q, scanTenant, selectTenants+" ORDER BY t.tenant")
		list = make([]api.Namespace, len(found))
		for i := range found {
			list[i] = found[i].Namespace
		}
		return err
	})
	return list, err
}

// UsageOf returns what a tenant uses; an unknown one is [hippo.ErrNotFound]. Cost: a pass over its rows.
func UsageOf(ctx context.Context, d *DB, tenant string) (u api.NamespaceUsage, err error) {
	if err := validTenant(tenant); err != nil {
		return u, err
	}
	var found []api.NamespaceUsage
	err = d.view(ctx, func(q querier) error {
		if found, err = collect(ctx, q, scanTenant, selectTenants+" WHERE t.tenant = $1", tenant); err != nil || len(found) == 0 {
			return err
		}
		u = found[0]
		if u.Leases, err = collect(ctx, q, scanHeld, selectHeld, tenant); err != nil {
			return err
		}
		return addTables(ctx, q, &u)
	})
	if err == nil && len(found) == 0 {
		err = unknown(d, tenant)
	}
	return u, err
}

const selectHeld = "SELECT name, until FROM hippo.lease WHERE tenant = $1 AND until > clock_timestamp() ORDER BY name"

func scanHeld(row pgx.CollectableRow) (l api.NamespaceLease, err error) {
	var until pgtype.Timestamptz
	err = row.Scan(&l.Name, &until)
	l.Until = timeOf(until)
	return l, err
}

// table is one with rows of tenants, and the expression for the size of a row.
type table struct {
	name, size    string
	tuples, index float64 // of all tenants: rows, by the statistics of the server, and bytes of the indexes
}

// rowOverhead is what a row needs beside its columns: a header and a pointer to it.
const rowOverhead = 28

const selectTables = `SELECT c.relname::text, string_agg('coalesce(pg_column_size(' || quote_ident(a.attname) || '), 0)', ' + '),
	c.reltuples::float8, pg_indexes_size(c.oid)::float8
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'hippo') AND c.relkind IN ('r', 'p')
	GROUP BY c.oid, c.relname, c.reltuples HAVING bool_or(a.attname = 'tenant') ORDER BY c.relname`

// addTables adds what a tenant has in each table that has something of it.
func addTables(ctx context.Context, q querier, u *api.NamespaceUsage) error {
	all, err := collect(ctx, q, func(row pgx.CollectableRow) (t table, err error) {
		err = row.Scan(&t.name, &t.size, &t.tuples, &t.index)
		return t, err
	}, selectTables)
	if err != nil {
		return err
	}
	for _, t := range all {
		part, err := collect(ctx, q, func(row pgx.CollectableRow) (p api.NamespaceTable, err error) {
			p.Table = t.name
			err = row.Scan(&p.Rows, &p.Bytes)
			return p, err
		}, "SELECT count(*), coalesce(sum("+t.size+"), 0)::bigint FROM "+pgx.Identifier{"hippo", t.name}.Sanitize()+" WHERE tenant = $1", u.Name)
		if err != nil {
			return err
		}
		p := part[0]
		if p.Rows == 0 {
			continue
		}
		p.Bytes += p.Rows*rowOverhead + int(t.index*float64(p.Rows)/max(t.tuples, float64(p.Rows)))
		if t.name == "vector" {
			u.Vectors = p.Rows
		}
		u.Disk += p.Bytes
		u.Tables = append(u.Tables, p)
	}
	slices.SortStableFunc(u.Tables, func(a, b api.NamespaceTable) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return nil
}

const updateLimits = `UPDATE hippo.tenant SET max_memories = coalesce($2, max_memories), max_texts = coalesce($3, max_texts), max_requests = coalesce($4, max_requests)
	WHERE tenant = $1 RETURNING max_memories, max_texts, max_requests`

// Limit changes the limits of a tenant, and returns all of them. A tenant that is not there is created, so that it has its limits from the
// beginning.
func Limit(ctx context.Context, d *DB, tenant string, by api.NamespaceLimit) (l api.NamespaceLimits, err error) {
	if err := validTenant(tenant); err != nil {
		return l, err
	}
	for name, n := range map[string]*int{"memories": by.Memories, "bytes": by.Bytes, "requests": by.Requests} {
		if n != nil && *n < 0 {
			return l, hippo.Fieldf(name, "must not be negative, got %d; 0 removes the limit", *n)
		}
	}
	if err := create(ctx, d, tenant); err != nil {
		return l, err
	}
	err = d.view(ctx, func(q querier) error {
		list, err := collect(ctx, q, func(row pgx.CollectableRow) (l api.NamespaceLimits, err error) {
			err = row.Scan(&l.Memories, &l.Bytes, &l.Requests)
			return l, err
		}, updateLimits, tenant, by.Memories, by.Bytes, by.Requests)
		if err == nil && len(list) == 0 { // it was deleted just now
			return unknown(d, tenant)
		}
		if err == nil {
			l = list[0]
		}
		return err
	})
	return l, err
}

// RequestLimit returns how many requests a minute a server answers for a tenant; 0: there is no limit. Cost: one round trip.
func RequestLimit(ctx context.Context, d *DB, tenant string) (n int, err error) {
	err = d.view(ctx, func(q querier) error {
		list, err := collect(ctx, q, pgx.RowTo[int], "SELECT max_requests FROM hippo.tenant WHERE tenant = $1", tenant)
		if n = 0; len(list) > 0 {
			n = list[0]
		}
		return err
	})
	return n, err
}
