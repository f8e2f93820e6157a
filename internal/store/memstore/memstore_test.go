package memstore_test

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

func harness() drivertest.Harness {
	return drivertest.Harness{
		Volatile: true,
		Place: func(testing.TB) drivertest.Opener {
			return func() (driver.Backend, error) { return memstore.New(nil), nil }
		},
	}
}

func TestConformance(t *testing.T) { drivertest.Run(t, harness()) }

func BenchmarkStore(b *testing.B) { drivertest.Bench(b, harness()) }

func TestStore_identity_as_asked(t *testing.T) {
	t.Parallel()
	h, err := memstore.New(&memstore.Options{StoreID: "fixed"}).Head(t.Context())
	if err != nil || h.Store != "fixed" {
		t.Errorf("head is %+v, %v", h, err)
	}
}

func TestStore_closed_refuses(t *testing.T) {
	t.Parallel()
	s := memstore.New(nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), nil); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("get returned %v", err)
	}
	err := s.Write(t.Context(), driver.Durable, func(driver.Tx) error { return nil })
	if !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("write returned %v", err)
	}
	_, err = s.Vectors(t.Context(), "model", nil)
	_, merr := s.VectorModels(t.Context())
	perr := s.PutVectors(t.Context(), "model", nil)
	for _, err := range []error{err, merr, perr} {
		if !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("vectors returned %v", err)
		}
	}
	for _, err := range s.Changes(t.Context(), 0) {
		if !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("changes yields %v", err)
		}
	}
}
