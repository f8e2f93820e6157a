package pgstore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// Each migration locks what it says that it locks, and no more.
func TestPlan_Locks(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	for i, plan := range pgstore.Migrations() {
		if i == 0 {
			continue // it finds no tables
		}
		url := pgtest.URL(t)
		db, err := pgstore.OpenDB(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		locks, err := pgstore.LocksOf(t.Context(), db, i)
		if err != nil {
			t.Fatal(err)
		}
		for table, modes := range locks {
			waits := pgstore.NothingWaits
			switch {
			case slices.Contains(modes, "AccessExclusiveLock"):
				waits = pgstore.AllWait
			case slices.ContainsFunc(modes, func(m string) bool { return strings.HasPrefix(m, "Share") || m == "ExclusiveLock" }):
				waits = pgstore.WritesWait
			}
			n := slices.IndexFunc(plan, func(p pgstore.PlannedTable) bool { return p.Name == table })
			if n < 0 || plan[n].Waits != waits {
				t.Errorf("migration to version %d takes %v on table %s, and declares %+v", i+1, modes, table, plan)
			}
		}
		for _, p := range plan {
			if locks[p.Name] == nil {
				t.Errorf("migration to version %d declares that it needs table %s, and does not", i+1, p.Name)
			}
		}
	}
	if p, err := pgstore.PlanMigration(t.Context(), db); err != nil || p.From != p.To || len(p.Tables) > 0 {
		t.Errorf("plan of a database that is up to date: %+v, %v", p, err)
	}
}

// A plan adds the work of its migrations, and names each table once, as what disturbs most.
func TestPlan(t *testing.T) {
	t.Parallel()
	const first = "-- Text.\n-- needs memory: writes wait, read\n-- needs added: reads and writes wait, rewrite\nCREATE INDEX x ON hippo.memory (id);\n"
	const second = "-- needs memory: reads and writes wait, none\n-- needs tenant: reads and writes wait, rewrite\n"
	p := pgstore.PlanOf(map[string][2]int64{"memory": {200e6, 300e6}, "tenant": {10e6, 20e6}}, first, second)
	want := []pgstore.PlannedTable{
		{Name: "memory", Waits: pgstore.AllWait, Work: pgstore.Reads, Bytes: 200e6},
		{Name: "tenant", Waits: pgstore.AllWait, Work: pgstore.Rewrite, Bytes: 20e6},
	}
	if !slices.Equal(p.Tables, want) || p.Seconds != 3 {
		t.Errorf("got %+v, want %+v and 3 s", p, want)
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openDB(t, url)
	s, err := pgstore.Inspect(t.Context(), db)
	if err != nil || s.Encoding != "UTF8" || s.Schema != s.Known || !s.MayMigrate || s.ReadOnly || len(s.Problems(db)) > 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	reader := openDB(t, pgtest.With(t, url, "default_transaction_read_only", "on"))
	if s, err := pgstore.Inspect(t.Context(), reader); err != nil || !s.ReadOnly || s.Replica {
		t.Errorf("read-only: %+v, %v", s, err)
	}
	if err := pgstore.SetSchema(t.Context(), db, 0); err != nil {
		t.Fatal(err)
	}
	if s, err := pgstore.Inspect(t.Context(), db); err != nil || len(s.Problems(db)) != 1 || !strings.Contains(s.Problems(db)[0], "hippo db migrate") {
		t.Errorf("old tables: %+v, %v", s, err)
	}
}
