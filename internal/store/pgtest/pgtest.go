// Package pgtest gives tests a Postgres server.
//
// It starts one of its own in a temporary folder, once for a test process, with the newest programs that are installed.
// HIPPO_TEST_POSTGRES is the URL of a running server to use instead, HIPPO_TEST_POSTGRES_BIN the folder of other programs. With
// HIPPO_TEST_CITUS=1 these have the extension citus, and a database is that of a coordinator with workers. Without a server the tests are
// skipped; REQUIRE_POSTGRES=1 makes them fail.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Main runs the tests of a package, and stops the server that they started. It is what TestMain exits with.
func Main(m *testing.M) int {
	defer func() {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if shared.server != nil {
			shared.server.Stop()
		}
		if shared.cluster != nil {
			shared.cluster.stop()
		}
	}()
	return m.Run()
}

// shared is the server of the tests of a package.
//
//nolint:gochecknoglobals // tests have nothing else in common
var shared struct {
	mu      sync.Mutex
	server  *Server
	cluster *Cluster
	admin   string // the URL of a database in which others can be created
	err     error
}

// URL creates an empty database for a test, which is dropped at its end, and returns its URL.
func URL(t testing.TB) string {
	t.Helper()
	if os.Getenv(useCitus) != "" {
		c := sharedCluster(t)
		return c.Coordinator.URL(c.Database(t))
	}
	shared.mu.Lock()
	if shared.admin == "" && shared.err == nil {
		if shared.admin = os.Getenv("HIPPO_TEST_POSTGRES"); shared.admin == "" {
			shared.server, shared.err = launch(false, usualPort)
		}
		if shared.server != nil {
			shared.admin = shared.server.URL("postgres")
		}
	}
	admin, err := shared.admin, shared.err
	shared.mu.Unlock()
	require(t, err)
	return database(t, admin)
}

// database creates a database on the server of a URL, and drops it at the end of a test.
func database(t testing.TB, admin string) string {
	t.Helper()
	name := "hippo_" + strings.ToLower(rand.Text())
	Exec(t, admin, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'")
	t.Cleanup(func() {
		if err := Cleanup(admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return Named(t, admin, name)
}

// Named returns the URL of another database of a server.
func Named(t testing.TB, database, name string) string {
	t.Helper()
	return edit(t, database, func(u *url.URL) { u.Path = "/" + name })
}

// With returns a URL with another value of a parameter.
func With(t testing.TB, database, key, value string) string {
	t.Helper()
	return edit(t, database, func(u *url.URL) {
		q := u.Query()
		q.Set(key, value)
		u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // libpq takes no plus for a space
	})
}

func edit(t testing.TB, database string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}

// Exec runs statements in a database.
func Exec(t testing.TB, database string, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if err := exec(t.Context(), database, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Cleanup runs a statement at the end of a test.
func Cleanup(database, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return exec(ctx, database, statement)
}

func exec(ctx context.Context, database, statement string) error {
	c, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer c.Close(ctx) //nolint:errcheck // it is not used again
	_, err = c.Exec(ctx, statement)
	return err
}

// Start starts a server for a test alone, which writes to the disk as a real one does, and stops it at the end.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := launch(true, usualPort)
	require(t, err)
	t.Cleanup(s.Stop)
	return s
}

// Launch starts a server that writes to the disk, for a program that stops it.
func Launch() (*Server, error) { return launch(true, usualPort) }

// require skips a test that has no server.
func require(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("REQUIRE_POSTGRES") != "":
		t.Fatalf("REQUIRE_POSTGRES is set, and there is no Postgres server: %v", err)
	default:
		t.Skipf("there is no Postgres server: %v", err)
	}
}

// patience bounds how long a server may take to start.
const patience = time.Minute

// programs returns the folder of the programs of the server.
func programs() (string, error) {
	folders := []string{os.Getenv("HIPPO_TEST_POSTGRES_BIN")}
	if folders[0] == "" {
		debian, err := filepath.Glob("/usr/lib/postgresql/*/bin")
		if err != nil {
			return "", err
		}
		slices.Reverse(debian)
		folders = append(debian, filepath.SplitList(os.Getenv("PATH"))...)
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "initdb")); err == nil {
			return filepath.Abs(folder)
		}
	}
	return "", fmt.Errorf("initdb is not in %s: install postgresql, or set HIPPO_TEST_POSTGRES_BIN or HIPPO_TEST_POSTGRES", strings.Join(folders, ", "))
}
