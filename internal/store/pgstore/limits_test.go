package pgstore_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

func limit(t testing.TB, db *pgstore.DB, tenant string, by api.NamespaceLimit) {
	t.Helper()
	if _, err := pgstore.Limit(t.Context(), db, tenant, by); err != nil {
		t.Fatal(err)
	}
}

// A tenant at its limit keeps what it has, changes it and removes it; it adds nothing.
func TestLimit(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	for name, c := range map[string]struct {
		by  api.NamespaceLimit
		fix string
	}{
		"memories": {api.NamespaceLimit{Memories: new(2)}, `namespace "memories" may keep 2 memories and has 2, 0 of them forgotten`},
		"texts":    {api.NamespaceLimit{Bytes: new(17)}, `namespace "texts" may keep texts of 17 B and has 16 B`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit(t, db, name, c.by)
			s := open(t, db, name)
			write(t, s, put(memory(1), memory(2)))
			add := func() error { return s.Write(t.Context(), driver.Durable, put(memory(3))) }
			wants(t, "one more", add(), hippo.ErrFull, c.fix)
			wants(t, "one more", add(), hippo.ErrFull, "hippo tenant limit")
			write(t, s, put(withText(1, "changed!")))
			write(t, s, func(tx driver.Tx) error { return errors.Join(tx.Put(memory(3)), tx.Purge(idOf(1))) })
			write(t, s, func(tx driver.Tx) error { return tx.Touch(1, map[hippo.ID]int{idOf(2): 1}) })
			limit(t, db, name, api.NamespaceLimit{Memories: new(1), Bytes: new(1)})
			wants(t, "one more above the limit", add2(t, s), hippo.ErrFull, "raises the limit")
			write(t, s, put(withText(2, "short")))
			write(t, s, func(tx driver.Tx) error { return tx.Purge(idOf(2)) })
			limit(t, db, name, api.NamespaceLimit{Memories: new(int), Bytes: new(int)})
			write(t, s, put(memory(4), memory(5)))
			sound(t, s)
		})
	}
}

func add2(t testing.TB, s *pgstore.Store) error {
	t.Helper()
	return s.Write(t.Context(), driver.Durable, put(withText(9, "one that is rather long")))
}

// Of writes that share a commit, those that fit succeed.
func TestLimit_Together(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	limit(t, db, "a", api.NamespaceLimit{Memories: new(10)})
	s := open(t, db, "a")
	var wg sync.WaitGroup
	var full, other atomic.Int32
	for i := range 40 {
		wg.Go(func() {
			switch err := s.Write(t.Context(), driver.Durable, put(memory(i))); {
			case errors.Is(err, hippo.ErrFull):
				full.Add(1)
			case err != nil:
				other.Add(1)
			}
		})
	}
	wg.Wait()
	if h, err := s.Head(t.Context()); err != nil || h.Memories != 10 || full.Load() != 30 || other.Load() != 0 {
		t.Errorf("%d memories (%v), %d refused, %d failed", h.Memories, err, full.Load(), other.Load())
	}
	sound(t, s)
}

func TestLimit_Refused(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	_, err := pgstore.Limit(t.Context(), db, "a", api.NamespaceLimit{Memories: new(-1)})
	wants(t, "a negative limit", err, hippo.ErrInvalid, "0 removes the limit")
	_, err = pgstore.UsageOf(t.Context(), db, "a")
	wants(t, "usage of an unknown tenant", err, hippo.ErrNotFound, `"a"`)
	limit(t, db, "a", api.NamespaceLimit{Requests: new(60)})
	limit(t, db, "a", api.NamespaceLimit{Memories: new(5)})
	u, err := pgstore.UsageOf(t.Context(), db, "a")
	if want := (api.NamespaceLimits{Memories: 5, Requests: 60}); err != nil || u.Limits != want || !u.Used.IsZero() {
		t.Errorf("got %+v, %v", u, err)
	}
	for name, want := range map[string]int{"a": 60, "unknown": 0} {
		if n, err := pgstore.RequestLimit(t.Context(), db, name); err != nil || n != want {
			t.Errorf("requests of %q: %d, %v", name, n, err)
		}
	}
}

func TestUsageOf(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	s, other := open(t, db, "used"), open(t, db, "other")
	filled(t, s)
	write(t, other, put(memory(1)))
	before := time.Now().Add(-time.Minute)
	check := func(what string) {
		t.Helper()
		u, err := pgstore.UsageOf(t.Context(), db, "used")
		if err != nil || u.Memories != 2 || u.Bytes != 16 || u.Relations != 1 || u.Vectors != 1 || u.Used.Before(before) || u.Disk < 1000 {
			t.Errorf("%s: got %+v, %v", what, u, err)
		}
		if len(u.Leases) != 1 || u.Leases[0].Name != "work" || len(u.Tables) < 8 {
			t.Errorf("%s: got leases %+v, tables %+v", what, u.Leases, u.Tables)
		}
		list, err := pgstore.ListTenants(t.Context(), db)
		if err != nil || len(list) != 2 || list[0].Name != "other" || list[1] != u.Namespace {
			t.Errorf("%s: list %+v, %v", what, list, err)
		}
	}
	check("open")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check("closed")
}

// A database that has memories when limits come learns the size of their texts.
func TestMigrate_Texts(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db, err := pgstore.OpenDB(t.Context(), url, nil)
	if err == nil {
		err = pgstore.MigrateTo(t.Context(), db, 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	const old = `INSERT INTO hippo.memory (tenant, id, revision, base, value, set_day, pinned, version, trust, seq, content_hash, type, source_kind, author, client,
		session, uri, project, namespace, content) VALUES ('a', gen_random_uuid(), $n, 0, 0, 0, false, 1, 0, 0, '', '', '', '', '', '', '', '', '', 'größe')`
	pgtest.Exec(t, url, "INSERT INTO hippo.tenant (tenant, store) VALUES ('a', 'x'), ('b', 'y')", strings.Replace(old, "$n", "1", 1), strings.Replace(old, "$n", "2", 1))
	plan, err := pgstore.PlanMigration(t.Context(), db)
	if err != nil || plan.From != 2 || len(plan.Tables) < 2 || plan.Tables[0].Bytes == 0 {
		t.Errorf("plan: %+v, %v", plan, err)
	}
	_, err = pgstore.Open(t.Context(), db, "a", nil)
	wants(t, "open before the migration", err, hippo.ErrUnsupported, "hippo db migrate")
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := pgstore.ListTenants(t.Context(), db)
	if err != nil || list[0].Bytes != 2*len("größe") || list[1].Bytes != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
}
