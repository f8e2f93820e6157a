package pgstore_test

import (
	"crypto/rand"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// openDB opens a database with the tables, until t ends.
func openDB(t testing.TB, url string) *pgstore.DB {
	t.Helper()
	db, err := pgstore.OpenDB(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// harness has the stores of the suite in one database: each is a tenant.
func harness(t testing.TB, url string) drivertest.Harness {
	db := openDB(t, url)
	opener := func(t testing.TB, tenant string) drivertest.Opener {
		return func() (driver.Backend, error) { return pgstore.Open(t.Context(), db, tenant, nil) }
	}
	damaged := func(set string) func(testing.TB, func(driver.Backend), hippo.ID) drivertest.Opener {
		return func(t testing.TB, fill func(driver.Backend), id hippo.ID) drivertest.Opener {
			tenant := rand.Text()
			s, err := pgstore.Open(t.Context(), db, tenant, nil)
			if err != nil {
				t.Fatal(err)
			}
			fill(s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			pgtest.Exec(t, url, "UPDATE hippo."+set+" = '"+id.String()+"' AND tenant = '"+tenant+"'")
			return opener(t, tenant)
		}
	}
	return drivertest.Harness{
		Alone: true,
		Place: func(t testing.TB) drivertest.Opener { return opener(t, rand.Text()) },
		Damaged: map[string]func(testing.TB, func(driver.Backend), hippo.ID) drivertest.Opener{
			"metadata_is_a_list":       damaged("memory SET metadata = '[1]' WHERE id"),
			"accesses_are_odd":         damaged("access SET days = '{1}' WHERE memory"),
			"surprise_has_two_numbers": damaged("memory SET surprise = '{0, 1}' WHERE id"),
			"hash_is_cut":              damaged("memory SET content_hash = '\\x00' WHERE id"),
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness(t, pgtest.URL(t)))
}

// PgBouncer gives each transaction another connection.
func TestConformance_PgBouncer(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness(t, pgtest.Bouncer(t, pgtest.URL(t))))
}

func BenchmarkStore(b *testing.B) { drivertest.Bench(b, harness(b, pgtest.URL(b))) }
