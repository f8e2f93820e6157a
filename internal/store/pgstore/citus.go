package pgstore

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// hasCitus reports whether a database has the extension that distributes tables.
const hasCitus = "SELECT true FROM pg_catalog.pg_extension WHERE extname = 'citus'"

// selectLocal reads the tables that one server has alone, that of tenants first, with whether they have a tenant.
const selectLocal = `SELECT c.relname::text, EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped)
	FROM pg_catalog.pg_class c WHERE c.relnamespace = 'hippo'::regnamespace AND c.relkind = 'r'
	AND NOT EXISTS (SELECT FROM pg_catalog.pg_dist_partition p WHERE p.logicalrelid = c.oid) ORDER BY c.relname <> 'tenant', c.relname`

// distribute distributes the tables over the servers of a Citus cluster: the rows of a tenant are on one worker, so that each of its
// transactions is one of that worker, and the tables without tenants are on all. It does nothing without the extension, and leaves
// tables that are distributed.
func distribute(ctx context.Context, t pgx.Tx) error {
	there, err := collect(ctx, t, pgx.RowTo[bool], hasCitus)
	if err != nil || len(there) == 0 {
		return err
	}
	calls := []string{"ALTER TABLE hippo.schema REPLICA IDENTITY FULL"} // it has no key, by which its row would be copied to a new server
	_, err = collect(ctx, t, func(row pgx.CollectableRow) (struct{}, error) {
		var name string
		var owned bool
		err := row.Scan(&name, &owned)
		switch {
		case !owned:
			calls = append(calls, "SELECT create_reference_table('hippo."+name+"')")
		case name == "tenant":
			calls = append(calls, "SELECT create_distributed_table('hippo.tenant', 'tenant', colocate_with => 'none')")
		default:
			calls = append(calls, "SELECT create_distributed_table('hippo."+name+"', 'tenant', colocate_with => 'hippo.tenant')")
		}
		return struct{}{}, err
	}, selectLocal)
	for _, call := range calls {
		if err == nil {
			_, err = t.Conn().PgConn().Exec(ctx, call).ReadAll()
		}
	}
	return err
}

// uncommitted reports whether the coordinator of a cluster lost a worker in a commit. The worker may have committed.
func uncommitted(err error) bool {
	return codeOf(err) == "XX000" && strings.Contains(err.Error(), "could not commit transaction for shard")
}
