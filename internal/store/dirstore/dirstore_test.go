package dirstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
)

func harness() drivertest.Harness {
	return drivertest.Harness{
		Alone: true,
		Place: func(t testing.TB) drivertest.Opener {
			dir := t.TempDir()
			return func() (driver.Backend, error) {
				return dirstore.Open(context.Background(), dir, nil)
			}
		},
		Damaged: map[string]func(testing.TB, func(driver.Backend), hippo.ID) drivertest.Opener{"file_is_cut": cutFile},
	}
}

// cutFile makes a memory unreadable by cutting its file, where no copy of it is known.
func cutFile(t testing.TB, fill func(driver.Backend), id hippo.ID) drivertest.Opener {
	dir := t.TempDir()
	s, err := dirstore.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	fill(s)
	if err := errors.Join(s.Close(), os.RemoveAll(filepath.Join(dir, ".hippo")), os.Truncate(filepath.Join(dir, id.String()+".json"), 20)); err != nil {
		t.Fatal(err)
	}
	return func() (driver.Backend, error) { return dirstore.Open(context.Background(), dir, nil) }
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness())
}

func BenchmarkStore(b *testing.B) { drivertest.Bench(b, harness()) }
