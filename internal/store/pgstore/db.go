package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hippo-memory/hippo"
)

// DB is a database with the tables of stores, one for each tenant. It is safe for concurrent use.
type DB struct {
	config *pgxpool.Config
	pool   *pgxpool.Pool
	log    *slog.Logger
	// wait bounds how long a call waits for a connection, and how long it tries again where the server does not answer.
	wait    time.Duration
	async   bool        // the role acknowledges commits before they are on the disk, unless a transaction asks for more
	direct  atomic.Bool // no proxy shares connections: statements may be prepared
	current atomic.Bool // the tables are those of this program
	closed  atomic.Bool
}

// DBOptions configures a [DB]; the zero value and nil are useful.
type DBOptions struct {
	// Wait bounds how long a call waits for a free connection, and how long it repeats what failed because the server restarts, a
	// connection was cut or another transaction was in the way; 0 is ten seconds.
	Wait time.Duration
	// Log reports migrations and memories that cannot be read; nil discards.
	Log *slog.Logger
}

// defaultWait is that of [DBOptions].
const defaultWait = 10 * time.Second

// defaultConns bounds the connections, unless the URL has pool_max_conns: a write holds one until it is on the disk.
const defaultConns = 16

// connectTimeout bounds how long a connection may take to be made, unless the URL has connect_timeout.
const connectTimeout = 10 * time.Second

// OpenDB connects to a database by the URL or the keywords that libpq takes; what is missing comes from the variables PGHOST and so on,
// and from the files .pgpass and .pg_service.conf. pool_max_conns bounds the connections. Statements are prepared once for a
// connection, which halves the time of a write, but not through a proxy such as PgBouncer, which shares connections between
// transactions; default_query_exec_mode in the URL overrides that.
//
// Errors: [hippo.ErrInvalid] for a URL that cannot be parsed, [hippo.ErrUnavailable] if the server cannot be reached or refuses the
// user, [hippo.ErrUnsupported] for a server before version 15 and for an encoding other than UTF8. It changes nothing: see
// [DB.Migrate].
func OpenDB(ctx context.Context, url string, o *DBOptions) (*DB, error) {
	d, err := parse(url, o)
	if err != nil {
		return nil, err
	}
	if d.pool, err = pgxpool.NewWithConfig(ctx, d.config); err != nil {
		return nil, d.explain("open", err)
	}
	if err := d.checkServer(ctx, strings.Contains(url, "default_query_exec_mode")); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// parse returns a database that is not connected.
func parse(url string, o *DBOptions) (*DB, error) {
	if o == nil {
		o = &DBOptions{}
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%w: %w: want postgres://USER@HOST:PORT/DATABASE", hippo.ErrInvalid, err)
	}
	d := &DB{config: config, log: o.Log, wait: cmp.Or(o.Wait, defaultWait)}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	c := config.ConnConfig
	if !strings.Contains(url, "default_query_exec_mode") {
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = defaultConns
	}
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		if d.direct.Load() {
			c.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
			c.RuntimeParams["plan_cache_mode"] = "force_custom_plan" // a plan that is kept fits the tables as they were, perhaps empty
			c.RuntimeParams["idle_in_transaction_session_timeout"] = idleLimit
		}
		return nil
	}
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, connectTimeout)
	c.RuntimeParams["application_name"] = cmp.Or(c.RuntimeParams["application_name"], "hippo")
	return d, nil
}

// Close closes all connections. The stores on it are to be closed before.
func (d *DB) Close() {
	d.closed.Store(true)
	d.pool.Close()
}

// String names the database, without a password.
func (d *DB) String() string {
	c := d.config.ConnConfig
	return fmt.Sprintf("postgres database %s on %s", c.Database, c.Host)
}

// checkServer refuses a server that cannot keep a store, and finds out whether connections lead to it directly, unless the mode of
// statements is given: a proxy names another process in the greeting than the one that answers.
func (d *DB) checkServer(ctx context.Context, given bool) error {
	var version int
	var encoding string
	var process uint32
	c, err := d.acquire(ctx)
	if err == nil {
		err = c.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
			current_setting('synchronous_commit') = 'off', pg_backend_pid()`).Scan(&version, &encoding, &d.async, &process)
		d.direct.Store(!given && process == c.Conn().PgConn().PID())
		c.Release()
	}
	if err != nil {
		return d.explain("open", err)
	}
	if d.direct.Load() {
		d.pool.Reset() // that connection prepares nothing
	}
	return d.suitable(version, encoding)
}

// oldest is the first version of the server that has all that the statements need.
const oldest = 15

func (d *DB) suitable(version int, encoding string) error {
	switch {
	case version/10000 < oldest:
		return fmt.Errorf("%w: %s has PostgreSQL %d, and %d is the first version that can keep a store: upgrade the server", hippo.ErrUnsupported, d, version/10000, oldest)
	case encoding != "UTF8":
		return fmt.Errorf("%w: %s has the encoding %s: create a database with encoding UTF8 (createdb -E UTF8 -T template0 NAME)", hippo.ErrUnsupported, d, encoding)
	}
	return nil
}

// acquire returns a connection, which is to be released. One that is closed or in a transaction then is not used again.
func (d *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if d.closed.Load() {
		return nil, fmt.Errorf("%w: %s is closed", hippo.ErrUnavailable, d)
	}
	limited, cancel := context.WithTimeout(ctx, d.wait)
	defer cancel()
	c, err := d.pool.Acquire(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		if s := d.pool.Stat(); s.AcquiredConns() == s.MaxConns() {
			return nil, fmt.Errorf("%w: all %d connections to %s were in use for %v: raise pool_max_conns in its URL", hippo.ErrUnavailable, s.MaxConns(), d, d.wait)
		}
		return nil, fmt.Errorf("%w: %s did not answer within %v", hippo.ErrUnavailable, d, d.wait)
	}
	return c, err
}

// The time before something is tried again doubles each time, between these.
const firstPause, lastPause = 10 * time.Millisecond, 250 * time.Millisecond

// retry runs fn until it succeeds, or fails with an error that another try does not mend.
func (d *DB) retry(ctx context.Context, fn func() error) error {
	for pause, waited := firstPause, time.Duration(0); ; pause = min(2*pause, lastPause) {
		err := fn()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !transient(err) || waited >= d.wait {
			return err
		}
		pause = min(pause, d.wait-waited)
		waited += pause
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Tenants returns the names of the stores in the database, in order.
func (d *DB) Tenants(ctx context.Context) (names []string, err error) {
	err = d.view(ctx, func(q querier) error {
		names, err = collect(ctx, q, pgx.RowTo[string], "SELECT tenant FROM hippo.tenant ORDER BY tenant")
		return err
	})
	return names, err
}

// tables are those with rows of a tenant.
func tables() []string {
	return []string{"access", "lease", "memory", "model", "operation", "relation", "snapshot", "tombstone", "vector", "version", "writer", "tenant"}
}

// Drop deletes a store with all of its rows, and the tokens of its namespace, but for those of the empty one: they are of whoever runs
// the servers. An unknown tenant is [hippo.ErrNotFound]. Handles that have it open fail from then on.
func (d *DB) Drop(ctx context.Context, tenant string) error {
	if err := validTenant(tenant); err != nil {
		return err
	}
	return d.explain("drop tenant", d.retry(ctx, func() error { return d.drop(ctx, tenant) }))
}

func (d *DB) drop(ctx context.Context, tenant string) error {
	c, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	return lost(c, pgx.BeginFunc(ctx, c, func(t pgx.Tx) error {
		there := false
		err := t.QueryRow(ctx, "SELECT true FROM hippo.tenant WHERE tenant = $1 FOR UPDATE", tenant).Scan(&there)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknown(d, tenant)
		}
		for _, table := range tables() {
			if err == nil {
				_, err = t.Exec(ctx, "DELETE FROM hippo."+table+" WHERE tenant = $1", tenant)
			}
		}
		if err == nil && tenant != "" {
			_, err = t.Exec(ctx, "DELETE FROM hippo.token WHERE namespace = $1", tenant)
		}
		return err
	}))
}

// validTenant refuses names that cannot be a key.
func validTenant(name string) error {
	if len(name) > hippo.MaxName || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return hippo.Fieldf("tenant", "must be at most %d bytes of UTF-8 without NUL, got %.60q", hippo.MaxName, name)
	}
	return nil
}
