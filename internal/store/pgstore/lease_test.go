package pgstore_test

import (
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

func lease(t *testing.T, s *pgstore.Store, name string, d time.Duration, want bool) {
	t.Helper()
	if l, err := s.Lease(t.Context(), name, d); err != nil || l.Held != want {
		t.Errorf("lease %q is %+v (%v), want it held: %t", name, l, err, want)
	}
}

// A lease ends by the clock of the server.
func TestLease(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openDB(t, url)
	a, b, elsewhere := open(t, db, "x"), open(t, openDB(t, url), "x"), open(t, db, "y")
	lease(t, a, "work", time.Hour, true)
	lease(t, a, "work", time.Hour, true)
	lease(t, b, "work", time.Hour, false)
	lease(t, b, "other-work", time.Hour, true)
	lease(t, elsewhere, "work", time.Hour, true)
	if err := b.Release(t.Context(), "work"); err != nil {
		t.Error(err)
	}
	lease(t, b, "work", time.Hour, false)
	pgtest.Exec(t, url, "UPDATE hippo.lease SET until = now() - interval '1 s' WHERE tenant = 'x'")
	lease(t, b, "work", time.Hour, true)
	lease(t, a, "work", time.Hour, false)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	lease(t, a, "work", time.Hour, false)
	pgtest.Exec(t, url, "UPDATE hippo.lease SET until = now() - interval '1 s' WHERE tenant = 'x'")
	lease(t, a, "work", time.Hour, true)
	if err := a.Release(t.Context(), "work"); err != nil {
		t.Error(err)
	}
	lease(t, open(t, db, "x"), "work", time.Hour, true)
}

func TestVacant(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openDB(t, url)
	a, b := open(t, db, "a"), open(t, db, "b")
	open(t, db, "c")
	lease(t, a, "work", time.Hour, true)
	lease(t, b, "work", time.Hour, true)
	lease(t, a, "other-work", time.Hour, true)
	pgtest.Exec(t, url, "UPDATE hippo.lease SET until = now() - interval '1 s' WHERE tenant = 'b'")
	if got, err := pgstore.Vacant(t.Context(), db, "work"); err != nil || !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("got %q (%v), want those whose right ended, or was never taken", got, err)
	}
}
