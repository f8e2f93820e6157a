package drivertest_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestEqual_back_ends is here, and not with one of the back ends, because none
// of them may know another.
func TestEqual_back_ends(t *testing.T) {
	t.Parallel()
	drivertest.Equal(t, map[string]drivertest.Harness{
		"memory": shared(sound),
		"sqlite": sqlite(),
		"directory": {Place: func(t testing.TB) drivertest.Opener {
			dir := t.TempDir()
			return func() (driver.Backend, error) { return dirstore.Open(t.Context(), dir, nil) }
		}},
	})
}

func sqlite() drivertest.Harness {
	return drivertest.Harness{Place: func(t testing.TB) drivertest.Opener {
		path := filepath.Join(t.TempDir(), "memory.db")
		return func() (driver.Backend, error) { return sqlitestore.Open(t.Context(), path, nil) }
	}}
}

// TestEqual_postgres is apart, as it needs a server.
func TestEqual_postgres(t *testing.T) {
	t.Parallel()
	db, err := pgstore.OpenDB(t.Context(), pgtest.URL(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	drivertest.Equal(t, map[string]drivertest.Harness{
		"sqlite": sqlite(),
		"postgres": {Place: func(t testing.TB) drivertest.Opener {
			tenant := rand.Text()
			return func() (driver.Backend, error) { return pgstore.Open(t.Context(), db, tenant, nil) }
		}},
	})
}
