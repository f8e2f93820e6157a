package drivertest_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/filelease"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// handle is one of several on the same store in RAM, so that the suite can try
// its checks of reopening and sharing on a store that is known to be right. Its rights are its own.
type handle struct {
	*memstore.Store
	rights *filelease.Leases
}

func (h handle) Close() error {
	h.rights.Close()
	return nil
}

func (h handle) Lease(ctx context.Context, name string, d time.Duration) (driver.Lease, error) {
	return h.rights.Lease(ctx, name, d)
}

func (h handle) Release(ctx context.Context, name string) error { return h.rights.Release(ctx, name) }

// shared is a harness of handles on one store, each with a fault planted.
func shared(plant func(driver.Backend) driver.Backend) drivertest.Harness {
	return drivertest.Harness{
		Place: func(t testing.TB) drivertest.Opener {
			s, rights := memstore.New(nil), t.TempDir()+string(filepath.Separator)
			return func() (driver.Backend, error) { return plant(handle{s, filelease.New(rights, time.Now)}), nil }
		},
	}
}

func sound(b driver.Backend) driver.Backend { return b }

func TestRun_passes_a_sound_store(t *testing.T) { drivertest.Run(t, shared(sound)) }

func TestEqual_passes_sound_stores(t *testing.T) {
	t.Parallel()
	drivertest.Equal(t, map[string]drivertest.Harness{
		"shared": shared(sound),
		"volatile": {Volatile: true, Place: func(testing.TB) drivertest.Opener {
			return func() (driver.Backend, error) { return memstore.New(nil), nil }
		}},
	})
}

func allFaults() map[string]fault {
	all := faults()
	maps.Copy(all, useFaults())
	maps.Copy(all, vectorFaults())
	maps.Copy(all, relationFaults())
	maps.Copy(all, historyFaults())
	return all
}

// faultEnv names the fault to plant in a child process.
const faultEnv = "DRIVERTEST_FAULT"

// TestRun_catches_faults runs the suite on faulty stores, each in a process of
// its own because there it has to fail.
func TestRun_catches_faults(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range allFaults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestFaulty$/^"+f.topic+"$")
			cmd.Env = append(os.Environ(), faultEnv+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestFaulty/"+f.topic+"/") {
				t.Errorf("topic %s does not notice: %v\n%s", f.topic, err, out)
			}
		})
	}
}

// TestFaulty is what the child process runs; without a fault named it has
// nothing to do.
func TestFaulty(t *testing.T) {
	if f, ok := allFaults()[os.Getenv(faultEnv)]; ok {
		drivertest.Run(t, shared(f.plant))
	}
}
