package pgstore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// crashChild, set to the URL of a database, makes the test binary record until it is killed, and print the ID of every memory that was
// acknowledged.
const crashChild = "HIPPO_TEST_CRASH_POSTGRES"

func TestMain(m *testing.M) {
	if url := os.Getenv(crashChild); url != "" {
		if err := recordForever(context.Background(), url); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(pgtest.Main(m))
}

// fresh returns a memory with a new ID.
func fresh() *hippo.Memory {
	m := memory(0)
	_, _ = rand.Read(m.ID[:]) // it never fails
	return m
}

func recordForever(ctx context.Context, url string) error {
	db, err := pgstore.OpenDB(ctx, url, nil)
	if err != nil {
		return err
	}
	s, err := pgstore.Open(ctx, db, "crash", nil)
	if err != nil {
		return err
	}
	ids, failed := make(chan hippo.ID), make(chan error)
	for range 8 {
		go func() {
			for {
				m := fresh()
				if err := s.Write(ctx, driver.Durable, put(m)); err != nil {
					failed <- err
					return
				}
				ids <- m.ID
			}
		}()
	}
	for {
		select {
		case id := <-ids:
			fmt.Println(id)
		case err := <-failed:
			return err
		}
	}
}

// recorded checks that acknowledged memories are there, and that what is counted agrees.
func recorded(t *testing.T, s *pgstore.Store, ids []hippo.ID) {
	t.Helper()
	ms, err := s.Get(t.Context(), ids)
	if err != nil || len(ms) != len(ids) {
		t.Errorf("%d of %d acknowledged memories are there (%v)", len(ms), len(ids), err)
	}
	h, err := s.Head(t.Context())
	if err != nil || h.Memories != int(h.Revision) {
		t.Errorf("head is %+v (%v), want as many memories as revisions: each was put once", h, err)
	}
	sound(t, s)
}

// Nothing that was acknowledged is lost when a process that writes is killed.
func TestCrash_NodeKilled(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, openDB(t, url), "crash")
	var ids []hippo.ID
	for round := range drivertest.Rounds(3) {
		ids = append(ids, drivertest.Killed(t, crashChild+"="+url, 0, time.Duration(5+round*37%150)*time.Millisecond)...)
		recorded(t, s, ids)
	}
	if len(ids) == 0 {
		t.Error("nothing was ever acknowledged: the test tests nothing")
	}
	t.Logf("%d acknowledged", len(ids))
}

// recording runs writers while something happens to the server: no write fails. It returns what was acknowledged.
func recording(t *testing.T, s *pgstore.Store, happens func(acknowledged func(n int))) (acknowledged []hippo.ID) {
	t.Helper()
	ids, ended := make(chan hippo.ID), make(chan struct{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for {
				m := fresh()
				if err := s.Write(t.Context(), driver.Durable, put(m)); err != nil {
					t.Errorf("a write failed: %v", err)
				}
				select {
				case ids <- m.ID:
				case <-ended:
					return
				}
			}
		})
	}
	happens(func(n int) {
		for range n {
			acknowledged = append(acknowledged, <-ids)
		}
	})
	close(ended)
	all.Wait()
	return acknowledged
}

// Writers go on while the server is killed with all of its processes: nothing that was acknowledged is lost or there twice, and no
// write fails.
func TestCrash_ServerKilled(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	s := open(t, openDB(t, server.Database(t)), "crash")
	recorded(t, s, recording(t, s, func(acknowledged func(n int)) {
		for range drivertest.Rounds(2) {
			acknowledged(50)
			server.Kill(t)
		}
		acknowledged(1)
	}))
}

// Writers go on while the server is killed and a standby takes over, which had confirmed each commit.
func TestCrash_Failover(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t)
	pgtest.Exec(t, primary.URL("postgres"), "CREATE DATABASE crash TEMPLATE template0")
	standby := primary.Standby(t)
	s := open(t, openDB(t, pgtest.Either("crash", primary, standby)), "crash")
	recorded(t, s, recording(t, s, func(acknowledged func(n int)) {
		acknowledged(50)
		primary.Crash(t)
		standby.Promote(t)
		acknowledged(50)
	}))
}
