package pgstore

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
)

//go:embed migrations/*.sql
var files embed.FS

// migrations returns the SQL of all versions of the tables: element i leads from version i to i+1. That of a released version never
// changes.
func migrations() []string {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is constant
	}
	var out []string
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it was just listed
		}
		out = append(out, string(b))
	}
	return out
}

// migrationLock keeps migrations of one database apart: of several programs that start at once, one migrates.
const migrationLock = 0x686970706f // "hippo"

// Migrate brings the tables up to this version, in one transaction: a migration that is cut leaves them as they were. Without
// schema hippo it creates that. In a database with the extension citus, connected to the coordinator, it distributes tables that are
// not: those with a tenant by that, all together, and the others to every server. It does nothing if the version is current.
//
// Errors: [hippo.ErrUnsupported] for tables of a newer program, and those of the server, among them that the role may not create
// tables.
func (d *DB) Migrate(ctx context.Context) error {
	if err := d.checkSchema(ctx); err == nil {
		return nil
	}
	at := 0
	err := d.retry(ctx, func() error {
		c, err := d.acquire(ctx)
		if err != nil {
			return err
		}
		defer c.Release()
		return lost(c, pgx.BeginFunc(ctx, c, func(t pgx.Tx) error {
			at, err = migrate(ctx, t, migrations())
			return err
		}))
	})
	if codeOf(err) == "42501" {
		role := pgx.Identifier{d.config.ConnConfig.User}.Sanitize()
		return fmt.Errorf("%w: %s: migrate: %w (as the owner of the database: CREATE SCHEMA hippo AUTHORIZATION %s)", hippo.ErrUnavailable, d, err, role)
	}
	if err == nil {
		if 0 < at && at < len(migrations()) {
			d.log.Info("store migrated", "store", d.String(), "from", at, "to", len(migrations()))
		}
		err = d.checkSchema(ctx)
	}
	return d.explain("migrate", err)
}

// Create creates the tables in a database that has none; see [DB.Migrate]. Tables of another version are left alone.
func (d *DB) Create(ctx context.Context) error {
	at := 0
	err := d.view(ctx, func(q querier) (err error) {
		at, err = version(ctx, q)
		return err
	})
	if err != nil || at > 0 {
		return err
	}
	return d.Migrate(ctx)
}

// migrate runs the migrations that are missing and returns the version before them.
func migrate(ctx context.Context, t pgx.Tx, steps []string) (at int, err error) {
	_, err = t.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock))
	if err != nil {
		return 0, err
	}
	if at, err = version(ctx, t); err != nil || at >= len(steps) { // another program was faster
		return at, err
	}
	// A table may be large, and a migration that is cut begins again.
	scripts := append([]string{"SET LOCAL statement_timeout = 0"}, steps[at:]...)
	if at == 0 {
		scripts = append([]string{"CREATE SCHEMA IF NOT EXISTS hippo", "CREATE TABLE hippo.schema (version integer NOT NULL)", "INSERT INTO hippo.schema VALUES (0)"}, scripts...)
	}
	for _, script := range scripts {
		if _, err := t.Conn().PgConn().Exec(ctx, script).ReadAll(); err != nil {
			return at, err
		}
	}
	if _, err = t.Exec(ctx, "UPDATE hippo.schema SET version = $1", len(steps)); err == nil {
		err = distribute(ctx, t)
	}
	return at, err
}

// hasSchema reads the catalog as any table: functions such as to_regclass may answer from what a connection remembers.
const hasSchema = "SELECT true FROM pg_catalog.pg_tables WHERE schemaname = 'hippo' AND tablename = 'schema'"

// version returns the version of the tables; 0 without any.
func version(ctx context.Context, q querier) (at int, err error) {
	there, err := collect(ctx, q, pgx.RowTo[bool], hasSchema)
	if err != nil || len(there) == 0 {
		return 0, err
	}
	versions, err := collect(ctx, q, pgx.RowTo[int], "SELECT version FROM hippo.schema")
	if err == nil && len(versions) != 1 {
		err = fmt.Errorf("%w: table hippo.schema has %d rows, want one", hippo.ErrCorrupt, len(versions))
	}
	if err != nil {
		return 0, err
	}
	return versions[0], nil
}

// checkSchema refuses tables of another version.
func (d *DB) checkSchema(ctx context.Context) error {
	if d.current.Load() {
		return nil
	}
	at, known := 0, len(migrations())
	err := d.view(ctx, func(q querier) (err error) {
		at, err = version(ctx, q)
		return err
	})
	switch {
	case err != nil:
		return err
	case at > known:
		return fmt.Errorf("%w: %s has schema version %d, this program knows %d: use a newer hippo", hippo.ErrUnsupported, d, at, known)
	case at < known:
		return fmt.Errorf("%w: %s has schema version %d, this program needs %d: hippo db plan shows what a migration would do, hippo db migrate does it", hippo.ErrUnsupported, d, at, known)
	}
	d.current.Store(true)
	return nil
}
