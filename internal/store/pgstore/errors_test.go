package pgstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// wants fails unless an error is of a kind and says how to mend it.
func wants(t testing.TB, what string, err, kind error, fix string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), fix) {
		t.Errorf("%s: got %v, want %v that says %q", what, err, kind, fix)
	}
}

// roleName returns a name that no other run on the server has.
func roleName(what string) string { return "hippo_" + what + "_" + strings.ToLower(rand.Text()) }

func TestOpenDB_Refused(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	role := roleName("locked_out")
	pgtest.Exec(t, url, "CREATE ROLE "+role+" NOLOGIN")
	for name, c := range map[string]struct {
		url  string
		kind error
		fix  string
	}{
		"no URL":          {"https://example.org", hippo.ErrInvalid, "want postgres://"},
		"a port":          {"postgres://me:secret@localhost:x/db", hippo.ErrInvalid, "want postgres://"},
		"nobody listens":  {"postgres://me:secret@127.0.0.1:1/db", hippo.ErrUnavailable, "is the server running"},
		"no such host":    {"postgres://nowhere.invalid/db", hippo.ErrUnavailable, "is the server running"},
		"no such folder":  {"postgres:///db?host=/nowhere", hippo.ErrUnavailable, "is the server running"},
		"no database":     {strings.Replace(url, "/hippo_", "/missing_", 1), hippo.ErrUnavailable, "createdb"},
		"no login":        {pgtest.With(t, url, "user", role), hippo.ErrUnavailable, "check the user"},
		"no such role":    {pgtest.With(t, url, "user", "hippo_unknown"), hippo.ErrUnavailable, "check the user"},
		"a wrong setting": {pgtest.With(t, url, "statement_timeout", "x"), hippo.ErrInvalid, "statement_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pgstore.OpenDB(t.Context(), c.url, nil)
			wants(t, "open", err, c.kind, c.fix)
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error has the password: %v", err)
			}
		})
	}
	t.Cleanup(func() {
		if err := pgtest.Cleanup(url, "DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
}

func TestOpenDB_Unsuitable(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openDB(t, url)
	wants(t, "old server", pgstore.Suitable(db, 140011, "UTF8"), hippo.ErrUnsupported, "upgrade the server")
	if err := pgstore.Suitable(db, 150000, "UTF8"); err != nil {
		t.Errorf("version 15: %v", err)
	}
	name := strings.ReplaceAll(strings.ToLower(t.Name()), "/", "_")
	pgtest.Exec(t, url, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'")
	_, err := pgstore.OpenDB(t.Context(), pgtest.Named(t, url, name), nil)
	wants(t, "encoding", err, hippo.ErrUnsupported, "createdb -E UTF8")
	pgtest.Exec(t, url, "DROP DATABASE "+name)
}

func TestOpen_Schema(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db, err := pgstore.OpenDB(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	_, err = pgstore.Open(t.Context(), db, "", nil)
	wants(t, "no tables", err, hippo.ErrUnsupported, "hippo db migrate")
	openDB(t, url)
	write(t, open(t, db, ""), put(memory(1)))
	if err := pgstore.SetSchema(t.Context(), db, 1000); err != nil {
		t.Fatal(err)
	}
	_, err = pgstore.Open(t.Context(), db, "", nil)
	wants(t, "newer tables", err, hippo.ErrUnsupported, "use a newer hippo")
	wants(t, "migrate newer tables", db.Migrate(t.Context()), hippo.ErrUnsupported, "use a newer hippo")
}

// Several programs migrate one database at once.
func TestMigrate_Together(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	errs := make(chan error)
	for range 6 {
		go func() {
			db, err := pgstore.OpenDB(t.Context(), url, nil)
			if err == nil {
				err = db.Migrate(t.Context())
				db.Close()
			}
			errs <- err
		}()
	}
	for range 6 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// A role needs no more than the hints say.
func TestRole(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	role := roleName("limited")
	pgtest.Exec(t, url, "CREATE ROLE "+role+" LOGIN PASSWORD 'limited'")
	t.Cleanup(func() {
		if err := errors.Join(pgtest.Cleanup(url, "DROP OWNED BY "+role), pgtest.Cleanup(url, "DROP ROLE "+role)); err != nil {
			t.Error(err)
		}
	})
	db, err := pgstore.OpenDB(t.Context(), pgtest.With(t, pgtest.With(t, url, "user", role), "password", "limited"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	wants(t, "no right to create a schema", db.Migrate(t.Context()), hippo.ErrUnavailable, `CREATE SCHEMA hippo AUTHORIZATION "`+role)
	owner := openDB(t, url)
	_, err = pgstore.Open(t.Context(), db, "", nil)
	wants(t, "no right to use the schema", err, hippo.ErrUnavailable, "GRANT USAGE ON SCHEMA hippo")
	pgtest.Exec(t, url, "GRANT USAGE ON SCHEMA hippo TO "+role, "GRANT SELECT ON ALL TABLES IN SCHEMA hippo TO "+role)
	write(t, open(t, owner, "there"), put(memory(1)))
	_, err = pgstore.Open(t.Context(), db, "new", nil)
	wants(t, "no right to write", err, hippo.ErrUnavailable, "GRANT USAGE ON SCHEMA hippo")
	s := open(t, db, "there")
	if ms, err := s.Get(t.Context(), []hippo.ID{idOf(1)}); err != nil || len(ms) != 1 {
		t.Errorf("reading with the right to read: %d memories, %v", len(ms), err)
	}
	wants(t, "write", s.Write(t.Context(), driver.Durable, put(memory(2))), hippo.ErrUnavailable, "GRANT USAGE ON SCHEMA hippo")
	pgtest.Exec(t, url, "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hippo TO "+role)
	write(t, s, put(memory(2)))
	write(t, open(t, db, "new"), put(memory(1)))
}

// A database that only lets itself be read is read.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	write(t, open(t, openDB(t, url), "there"), put(memory(1)))
	db := openDB(t, pgtest.With(t, url, "default_transaction_read_only", "on"))
	s := open(t, db, "there")
	if ms, err := s.Get(t.Context(), []hippo.ID{idOf(1)}); err != nil || len(ms) != 1 {
		t.Errorf("read %d memories, %v", len(ms), err)
	}
	err := s.Write(t.Context(), driver.Durable, put(memory(2)))
	wants(t, "write", err, hippo.ErrReadOnly, "target_session_attrs")
	_, err = pgstore.Open(t.Context(), db, "new", nil)
	wants(t, "new tenant", err, hippo.ErrReadOnly, "target_session_attrs")
}

// holding runs fn while a write holds the tenant.
func holding(t *testing.T, s *pgstore.Store, fn func()) {
	t.Helper()
	entered, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- s.Write(t.Context(), driver.Durable, func(driver.Tx) error {
			close(entered)
			<-release
			return nil
		})
	}()
	<-entered
	fn()
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, openDB(t, url), "")
	holding(t, s, func() {
		slow := open(t, openDB(t, pgtest.With(t, url, "statement_timeout", "50")), "")
		wants(t, "a statement that takes too long", slow.Write(t.Context(), driver.Durable, put(memory(1))), hippo.ErrUnavailable, "raise statement_timeout")
		write(t, open(t, openDB(t, url), "other"), put(memory(1)))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := slow.Write(ctx, driver.Durable, put(memory(1))); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a write with a deadline: %v", err)
		}
	})
	one, err := pgstore.OpenDB(t.Context(), pgtest.With(t, url, "pool_max_conns", "1"), &pgstore.DBOptions{Wait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(one.Close)
	s = open(t, one, "")
	holding(t, s, func() {
		_, err := s.Head(t.Context())
		wants(t, "a pool that is used up", err, hippo.ErrUnavailable, "raise pool_max_conns")
	})
	if _, err := s.Head(t.Context()); err != nil {
		t.Errorf("a pool that is free again: %v", err)
	}
}

// What the database refuses of one write harms no other of its group.
func TestWrite_Refused(t *testing.T) {
	t.Parallel()
	s := open(t, openDB(t, pgtest.URL(t)), "")
	const writers, each = 8, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if w == 0 {
					err := s.Write(t.Context(), driver.Durable, put(withText(i, "not UTF-8: \xff")))
					wants(t, "a text that is no UTF-8", err, hippo.ErrInvalid, "UTF8")
				} else if err := s.Write(t.Context(), driver.Durable, put(memory(w*each+i))); err != nil {
					t.Errorf("a write that may share a group with it: %v", err)
				}
			}
		})
	}
	all.Wait()
	if h, err := s.Head(t.Context()); err != nil || h.Memories != (writers-1)*each {
		t.Errorf("head is %+v (%v), want %d memories", h, err, (writers-1)*each)
	}
	sound(t, s)
}

func TestClosed(t *testing.T) {
	t.Parallel()
	db := openDB(t, pgtest.URL(t))
	s := open(t, db, "")
	again := open(t, db, "")
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, err := s.Head(t.Context())
	wants(t, "head", err, hippo.ErrUnavailable, "closed")
	wants(t, "write", s.Write(t.Context(), driver.Lazy, put(memory(1))), hippo.ErrUnavailable, "closed")
	db.Close()
	_, err = again.Head(t.Context())
	wants(t, "head of a closed database", err, hippo.ErrUnavailable, "closed")
}

// JSON that other databases refuse, or change, is kept.
func TestMetadata_Escapes(t *testing.T) {
	t.Parallel()
	s := open(t, openDB(t, pgtest.URL(t)), "")
	m := memory(1)
	m.Metadata = map[string]json.RawMessage{"a\x00b": json.RawMessage(`"\u0000 \ud800 \udc00"`), "twice": json.RawMessage(`{"a":1,"a":2}`), "-0": json.RawMessage(`-0.0e-5`)}
	write(t, s, put(m))
	ms, err := s.Get(t.Context(), []hippo.ID{m.ID})
	if err != nil || len(ms) != 1 {
		t.Fatalf("%d memories, %v", len(ms), err)
	}
	for k, v := range m.Metadata {
		if got := ms[0].Metadata[k]; !bytes.Equal(got, v) {
			t.Errorf("%q is %s, want %s", k, got, v)
		}
	}
}

// The server ends connections of writers and readers again and again: they use others.
func TestTerminated(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, openDB(t, url), "")
	write(t, s, put(withText(0, "0")))
	var all sync.WaitGroup
	var wrote atomic.Int64
	done, ended := make(chan struct{}), make(chan struct{})
	for range 4 {
		all.Go(func() {
			for {
				m := memory(int(wrote.Add(1)))
				if err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return errors.Join(countUp(tx), tx.Put(m)) }); err != nil {
					t.Errorf("write: %v", err)
				}
				if _, err := s.Get(t.Context(), []hippo.ID{m.ID}); err != nil {
					t.Errorf("read: %v", err)
				}
				select {
				case done <- struct{}{}:
				case <-ended:
					return
				}
			}
		})
	}
	for range rounds(t, 20) {
		for range 5 {
			<-done
		}
		pgtest.Exec(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	}
	close(ended)
	all.Wait()
	h, err := s.Head(t.Context())
	if n := int(wrote.Load()); err != nil || h.Memories != 1+n || int(h.Revision) != 1+2*n {
		t.Errorf("head is %+v (%v), want %d memories", h, err, 1+n)
	}
	sound(t, s)
}
