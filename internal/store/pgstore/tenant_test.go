package pgstore_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// texts returns the first column of a query.
func texts(t testing.TB, url, query string, args ...any) []string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context()) //nolint:errcheck // only read
	rows, err := c.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// filled puts something into every table of a tenant.
func filled(t testing.TB, s *pgstore.Store) {
	t.Helper()
	write(t, s, func(tx driver.Tx) error {
		if err := tx.Put(memory(1), memory(2), memory(3)); err != nil {
			return err
		}
		r := hippo.Relation{From: idOf(1), To: idOf(2), Kind: "explains", Weight: .5}
		op := hippo.Operation{ID: idOf(9), At: time.Unix(1, 0).UTC(), Verb: hippo.VerbModify}
		return errors.Join(
			tx.Relate(r, func(_, r hippo.Relation) hippo.Relation { return r }),
			tx.Keep(op, hippo.DefaultRetention(), hippo.Version{ID: idOf(1), Before: memory(1), Of: 1}), tx.Purge(idOf(3)))
	})
	keepSnapshot(t, s, "id", "15-a", 1, []byte("text"))
	err := s.PutVectors(t.Context(), "model", []driver.Vector{{ID: idOf(1), Values: []float32{1, 2}}})
	l, leaseErr := s.Lease(t.Context(), "work", time.Minute)
	if err := errors.Join(err, leaseErr); err != nil || !l.Held {
		t.Fatalf("lease: %+v, %v", l, err)
	}
}

// counts returns the number of rows that each table has of a tenant.
func counts(t testing.TB, url, tenant string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, table := range texts(t, url, "SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'hippo' AND column_name = 'tenant'") {
		out[table] = texts(t, url, "SELECT count(*)::text FROM hippo."+table+" WHERE tenant = $1", tenant)[0]
	}
	return out
}

func TestDrop(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openDB(t, url)
	gone, stays := open(t, db, "gone"), open(t, db, "stays")
	filled(t, gone)
	filled(t, stays)
	before := counts(t, url, "stays")
	for table, n := range before {
		if n == "0" {
			t.Errorf("table %s has no row: the test does not try it", table)
		}
	}
	head, err := gone.Head(t.Context())
	if err := errors.Join(err, db.Drop(t.Context(), "gone")); err != nil {
		t.Fatal(err)
	}
	for table, n := range counts(t, url, "gone") {
		if n != "0" {
			t.Errorf("table %s has %s rows of a tenant that was dropped", table, n)
		}
		if !slices.Contains(pgstore.Tables(), table) {
			t.Errorf("table %s is not in the list of tables", table)
		}
	}
	if after := counts(t, url, "stays"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the other tenant has %v, want %v", after, before)
	}
	_, err = gone.Head(t.Context())
	wants(t, "head", err, hippo.ErrUnavailable, "was deleted")
	wants(t, "write", gone.Write(t.Context(), driver.Durable, put(memory(1))), hippo.ErrUnavailable, "was deleted")
	wants(t, "drop again", db.Drop(t.Context(), "gone"), hippo.ErrNotFound, "gone")
	_, err = pgstore.Open(t.Context(), db, "gone", &pgstore.Options{Existing: true})
	wants(t, "open what is not there", err, hippo.ErrNotFound, "gone")
	if l, err := gone.Lease(t.Context(), "work", time.Minute); err != nil || l.Held {
		t.Errorf("a right in a tenant that is gone: %+v (%v)", l, err)
	}
	again := open(t, db, "gone")
	if h, err := again.Head(t.Context()); err != nil || h.Store == head.Store || h.Memories != 0 {
		t.Errorf("a new tenant of the name has %+v (%v)", h, err)
	}
	write(t, again, put(memory(1)))
	_, err = gone.Head(t.Context())
	wants(t, "head beside a new tenant of the name", err, hippo.ErrUnavailable, "was deleted")
	wants(t, "write beside a new tenant of the name", gone.Write(t.Context(), driver.Durable, put(memory(2))), hippo.ErrUnavailable, "was deleted")
	sound(t, again)
}

func TestTenants_Names(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	names := []string{
		"", " ", "a", "A", "a ", "å", "a\u030a", "%", "_", `"quoted"`, "it's", "'; DROP TABLE hippo.memory; --", "a/b", "日本", "🦛", `\`, "$1", strings.Repeat("x", hippo.MaxName),
	}
	for i, name := range names {
		write(t, open(t, db, name), put(memory(i)))
	}
	for i, name := range names {
		s := open(t, db, name)
		ms, err := s.Get(t.Context(), []hippo.ID{idOf(i)})
		h, headErr := s.Head(t.Context())
		if err := errors.Join(err, headErr); err != nil || len(ms) != 1 || h.Memories != 1 {
			t.Errorf("tenant %q has %d memories (%v)", name, h.Memories, err)
		}
	}
	slices.Sort(names)
	if got, err := db.Tenants(t.Context()); err != nil || !slices.Equal(got, names) {
		t.Errorf("tenants are %q (%v)", got, err)
	}
	for _, name := range []string{"a\x00b", "\xff", strings.Repeat("x", hippo.MaxName+1)} {
		_, err := pgstore.Open(t.Context(), db, name, nil)
		wants(t, "open", err, hippo.ErrInvalid, "tenant")
		wants(t, "drop", db.Drop(t.Context(), name), hippo.ErrInvalid, "tenant")
	}
}

// seen is everything that the calls of a store return.
func seen(t *rapid.T, tt *testing.T, s *pgstore.Store) string {
	ctx := tt.Context()
	ids := []hippo.ID{idOf(0), idOf(1), idOf(2)}
	var out strings.Builder
	note := func(v any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%+v\n", v)
	}
	h, err := s.Head(ctx)
	h.Store = ""
	note(h, err)
	ms, err := s.Get(ctx, ids)
	for _, m := range ms {
		note(*m, err)
	}
	for c, err := range s.Changes(ctx, 0) {
		note(c.ID, err)
		note(c.Revision, err)
	}
	for u, err := range s.Uses(ctx, 0) {
		note(u, err)
	}
	vs, err := s.Vectors(ctx, "model", ids)
	note(vs, err)
	models, err := s.VectorModels(ctx)
	note(models, err)
	rs, err := s.Relations(ctx, driver.RelationQuery{IDs: ids, Limit: 9})
	note(rs, err)
	for r, err := range s.AllRelations(ctx) {
		note(r, err)
	}
	ops, err := s.Operations(ctx, driver.OperationQuery{Limit: 9})
	note(ops, err)
	old, err := s.Versions(ctx, driver.VersionQuery{Memories: ids})
	note(len(old), err)
	gone, err := s.Purged(ctx, ids)
	slices.SortFunc(gone, hippo.ID.Compare)
	note(gone, err)
	ps, err := s.Check(ctx)
	note(ps, err)
	ps, err = s.Problems(ctx)
	note(ps, err)
	l, err := s.Lease(ctx, "work", 0)
	note(l, err)
	note(nil, s.Write(ctx, driver.Lazy, func(tx driver.Tx) error {
		changed, err := tx.Changed(0)
		for _, m := range changed {
			note(*m, err)
		}
		ms, err := tx.Get(ids...)
		for _, m := range ms {
			note(*m, err)
		}
		rs, err := tx.RelationsFrom(idOf(0), idOf(1), "explains")
		note(rs, err)
		old, err := tx.Versions(driver.VersionQuery{Memories: ids})
		note(len(old), err)
		c, err := tx.Calendar()
		note(c, err)
		return nil
	}))
	return out.String()
}

// Each method of a back end is called by [seen] or [act], and by [open].
func TestTenants_EveryMethod(t *testing.T) {
	t.Parallel()
	tried := strings.Fields(`AllRelations Changes Close Get Head Lease Operations Problems Purged PutVectors Relate Relations Release Uses VectorModels Vectors Versions Write
		Calendar Changed DropHistory Keep Purge Put RelationsFrom SetCalendar Touch`)
	for _, of := range []reflect.Type{reflect.TypeFor[driver.Backend](), reflect.TypeFor[driver.Tx]()} {
		for m := range of.Methods() {
			if !slices.Contains(tried, m.Name) {
				t.Errorf("%s.%s is not tried on two tenants", of, m.Name)
			}
		}
	}
}

// act does one of the calls that change a store, on few IDs.
func act(t *rapid.T, tt *testing.T, s *pgstore.Store) {
	n, other, v := rapid.IntRange(0, 2).Draw(t, "n"), rapid.IntRange(0, 2).Draw(t, "other"), rapid.IntRange(0, 9).Draw(t, "v")
	do := rapid.IntRange(0, 9).Draw(t, "do")
	err := s.Write(tt.Context(), driver.Lazy, func(tx driver.Tx) error {
		switch do {
		case 0:
			return tx.Put(withText(n, fmt.Sprintf("text %d", v)))
		case 1:
			return tx.Purge(idOf(n))
		case 2:
			return tx.Touch(hippo.Day(v), map[hippo.ID]int{idOf(n): 1, idOf(other): 2})
		case 3:
			r := hippo.Relation{From: idOf(n), To: idOf(other), Kind: "explains", Weight: float64(v) / 10}
			return tx.Relate(r, func(_, r hippo.Relation) hippo.Relation { return r })
		case 4:
			op := hippo.Operation{ID: idOf(v), At: time.Unix(int64(v), 0).UTC(), Verb: hippo.VerbModify}
			return tx.Keep(op, hippo.Retention{Versions: 2, Days: 9}, hippo.Version{ID: idOf(n), Before: memory(n), Of: 1})
		case 5:
			return tx.SetCalendar(driver.Calendar{Day: hippo.Day(v), Date: "2025-01-01"})
		}
		return tx.DropHistory(idOf(n))
	})
	switch do {
	case 6:
		err = errors.Join(err, s.PutVectors(tt.Context(), "model", []driver.Vector{{ID: idOf(n), Values: []float32{float32(v), 1}}}))
	case 7:
		_, leaseErr := s.Lease(tt.Context(), "work", time.Duration(v)*time.Minute)
		err = errors.Join(err, leaseErr)
	case 8:
		err = errors.Join(err, s.Release(tt.Context(), "work"))
	case 9:
		r := hippo.Relation{From: idOf(n), To: idOf(other), Kind: "is like", Weight: float64(v+1) / 10}
		err = errors.Join(err, s.Relate(tt.Context(), driver.Lazy, []hippo.Relation{r}, func(_, r hippo.Relation) hippo.Relation { return r }))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Two tenants of one database have memories, relations, models and operations with the same IDs and names: what is done to one is
// never seen in the other.
func TestTenants_Apart(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	pair := [2]*pgstore.Store{open(t, db, "a"), open(t, db, "a ")}
	rapid.Check(t, func(rt *rapid.T) {
		for range 6 {
			i := rapid.IntRange(0, 1).Draw(rt, "tenant")
			before := seen(rt, t, pair[1-i])
			act(rt, t, pair[i])
			if after := seen(rt, t, pair[1-i]); after != before {
				rt.Fatalf("a change of one tenant changed the other from\n%s to\n%s", before, after)
			}
		}
	})
}
