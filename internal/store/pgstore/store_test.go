package pgstore_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
)

// idOf returns the nth ID.
func idOf(n int) (id hippo.ID) {
	binary.BigEndian.PutUint64(id[8:], uint64(n)+1)
	return id
}

// memory returns the nth memory.
func memory(n int) *hippo.Memory { return withText(n, fmt.Sprintf("memory %d", n)) }

func withText(n int, text string) *hippo.Memory {
	return &hippo.Memory{
		ID: idOf(n), Content: text, ContentHash: hippo.HashContent(text), Version: 1, Trust: hippo.TrustNormal, CreatedAt: time.Unix(1, 0).UTC(),
		Importance: hippo.Importance{Base: .5, Value: .5}, Usage: hippo.Usage{Accesses: []hippo.Access{{Day: 1, Count: 1}}},
	}
}

func put(ms ...*hippo.Memory) func(driver.Tx) error {
	return func(tx driver.Tx) error { return tx.Put(ms...) }
}

func write(t testing.TB, s *pgstore.Store, fn func(driver.Tx) error) {
	t.Helper()
	if err := s.Write(t.Context(), driver.Durable, fn); err != nil {
		t.Fatal(err)
	}
}

// open opens a tenant until t ends.
func open(t testing.TB, db *pgstore.DB, tenant string) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), db, tenant, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// sound checks the store, and so that its counts agree with its rows.
func sound(t testing.TB, s *pgstore.Store) {
	t.Helper()
	if ps, err := s.Check(t.Context()); err != nil || len(ps) > 0 {
		t.Errorf("check found %v (%v)", ps, err)
	}
}
