package dirstore_test

import (
	"context"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
)

func harness() drivertest.Harness {
	return drivertest.Harness{
		Place: func(t testing.TB) drivertest.Opener {
			dir := t.TempDir()
			return func() (driver.Backend, error) {
				return dirstore.Open(context.Background(), dir, nil)
			}
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness())
}

func BenchmarkStore(b *testing.B) { drivertest.Bench(b, harness()) }
