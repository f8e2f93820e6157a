package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// crashChild, set to a path, makes the test binary record into that store until
// it is killed, and print the ID of every memory that was acknowledged.
const crashChild = "HIPPO_TEST_CRASH_STORE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashChild); path != "" {
		recordForever(path)
	}
	if path := os.Getenv(serverChild); path != "" {
		serve(path, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

func recordForever(path string) {
	ctx := context.Background()
	s, err := sqlitestore.Open(ctx, path, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	acks := make(chan hippo.ID, 1000)
	for range 16 {
		go func() {
			for {
				m := memory(0)
				m.ID = hippo.ID(uuid.New())
				if err := s.Write(ctx, driver.Durable, put(m)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				acks <- m.ID
				if err := s.Write(ctx, driver.Durable, func(tx driver.Tx) error { return change(tx, m) }); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			}
		}()
	}
	for id := range acks {
		fmt.Println(id)
	}
}

// change changes a memory and keeps what it was.
func change(tx driver.Tx, m *hippo.Memory) error {
	v := hippo.Version{ID: m.ID, Before: m.Clone(), Of: 1}
	m.Version = 2
	op := hippo.Operation{ID: hippo.ID(uuid.New()), At: time.Unix(1, 0), Verb: hippo.VerbModify}
	return errors.Join(tx.Put(m), tx.Keep(op, hippo.DefaultRetention(), v))
}

// wholeChanges checks that each memory was changed and has a former version, or neither, and returns how
// many were.
func wholeChanges(t *testing.T, s *sqlitestore.Store, ms []*hippo.Memory) (changed int) {
	t.Helper()
	for _, m := range ms {
		vs, err := s.Versions(t.Context(), driver.VersionQuery{Memories: []hippo.ID{m.ID}})
		if err != nil || len(vs) != m.Version-1 {
			t.Errorf("memory %v has version %d and %d former ones (%v)", m.ID, m.Version, len(vs), err)
		}
		changed += len(vs)
	}
	ops, err := s.Operations(t.Context(), driver.OperationQuery{Limit: math.MaxInt32})
	if err != nil || len(ops) < changed {
		t.Errorf("%d operations for %d changes (%v)", len(ops), changed, err)
	}
	return changed
}

// Nothing that was acknowledged is lost by kill -9, round after round on the
// same file. HIPPO_CRASH_ROUNDS sets how many rounds; 200 are run before a release.
func TestCrash_Kill(t *testing.T) {
	t.Parallel()
	rounds := drivertest.Rounds(5)
	path := filepath.Join(t.TempDir(), "memory.db")
	total, changed := 0, 0
	for round := range rounds {
		ids := drivertest.Killed(t, crashChild+"="+path, 0, time.Duration(5+round*37%150)*time.Millisecond)
		total += len(ids)
		s, err := sqlitestore.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		ms, err := s.Get(t.Context(), ids)
		if err != nil || len(ms) != len(ids) {
			t.Errorf("round %d: %d of %d acknowledged memories are there (%v)", round, len(ms), len(ids), err)
		}
		changed += wholeChanges(t, s, ms)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if total == 0 || changed == 0 {
		t.Error("nothing was ever acknowledged: the test tests nothing")
	}
	t.Logf("%d acknowledged in %d rounds", total, rounds)
}
