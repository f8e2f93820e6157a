package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

func harness() drivertest.Harness {
	return drivertest.Harness{
		Place: func(t testing.TB) drivertest.Opener {
			path := filepath.Join(t.TempDir(), "memory.db")
			return func() (driver.Backend, error) { return sqlitestore.Open(t.Context(), path, nil) }
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness())
}

func BenchmarkStore(b *testing.B) { drivertest.Bench(b, harness()) }
