package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Bouncer starts PgBouncer before a database, in transaction mode with few connections, until t ends, and returns the URL of the
// database through it.
func Bouncer(t testing.TB, database string) string {
	t.Helper()
	program := osexec.CommandContext(t.Context(), "pgbouncer")
	require(t, program.Err)
	to, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "hippo-pg-")
	if err != nil {
		t.Fatal(err)
	}
	server := fmt.Sprintf("host=%s port=%d user=%s", to.Host, to.Port, to.User)
	if to.Password != "" {
		server += " password=" + to.Password
	}
	ini := fmt.Sprintf("[databases]\n* = %s\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = %s\nauth_type = any\n"+
		"pool_mode = transaction\ndefault_pool_size = 8\nmax_client_conn = 500\n", server, dir)
	if err := os.WriteFile(filepath.Join(dir, "ini"), []byte(ini), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := own(dir); err != nil {
		t.Fatal(err)
	}
	s := &Server{dir: dir}
	if err := s.watched(program.Path, "-q", filepath.Join(dir, "ini")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	u := url.URL{Scheme: "postgres", Path: "/" + to.Database, RawQuery: url.Values{"host": {dir}, "port": {"6432"}, "user": {to.User}}.Encode()}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := exec(ctx, u.String()+"&default_query_exec_mode=exec", "SELECT 1")
		if err == nil {
			return u.String()
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
