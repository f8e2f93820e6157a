package sharedstore_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
)

func opener(t testing.TB, path string) drivertest.Opener {
	return func() (driver.Backend, error) { return sharedstore.Open(t.Context(), path, nil) }
}

// damaged makes a record unreadable by an UPDATE of its row.
func damaged(set string) func(testing.TB, func(driver.Backend), hippo.ID) drivertest.Opener {
	return func(t testing.TB, fill func(driver.Backend), id hippo.ID) drivertest.Opener {
		path := filepath.Join(t.TempDir(), "memory.db")
		s, err := sharedstore.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		fill(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err == nil {
			_, err = db.ExecContext(t.Context(), set, id[:])
		}
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return opener(t, path)
	}
}

func harness() drivertest.Harness {
	return drivertest.Harness{
		Alone: true,
		Place: func(t testing.TB) drivertest.Opener { return opener(t, filepath.Join(t.TempDir(), "memory.db")) },
		Damaged: map[string]func(testing.TB, func(driver.Backend), hippo.ID) drivertest.Opener{
			"content_is_not_UTF-8": damaged("UPDATE memory SET content = CAST(x'61ff62' AS TEXT) WHERE id = ?"),
			"metadata_is_not_JSON": damaged("UPDATE memory SET metadata = '{' WHERE id = ?"),
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness())
}

func BenchmarkStore(b *testing.B) { drivertest.Bench(b, harness()) }
