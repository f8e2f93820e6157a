package drivertest_test

import (
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// TestEqual_back_ends is here, and not with one of the back ends, because none
// of them may know another.
func TestEqual_back_ends(t *testing.T) {
	t.Parallel()
	drivertest.Equal(t, map[string]drivertest.Harness{
		"memory": shared(sound),
		"sqlite": {Place: func(t testing.TB) drivertest.Opener {
			path := filepath.Join(t.TempDir(), "memory.db")
			return func() (driver.Backend, error) { return sqlitestore.Open(t.Context(), path, nil) }
		}},
		"directory": {Place: func(t testing.TB) drivertest.Opener {
			dir := t.TempDir()
			return func() (driver.Backend, error) { return dirstore.Open(t.Context(), dir, nil) }
		}},
	})
}
