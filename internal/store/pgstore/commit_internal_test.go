package pgstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/hippo-memory/hippo"
)

// What is tried again, what splits a group, and what callers are given.
func TestErrors(t *testing.T) {
	t.Parallel()
	db, err := parse("postgres://me:secret@host/name", &DBOptions{})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(code string) error {
		return fmt.Errorf("wrapped: %w", &pgconn.PgError{Severity: "ERROR", Code: code})
	}
	for name, c := range map[string]struct {
		err                  error
		transient, poisonous bool
		kind                 error
	}{
		"serialization":      {refused("40001"), true, false, hippo.ErrUnavailable},
		"deadlock":           {refused("40P01"), true, false, hippo.ErrUnavailable},
		"shutdown":           {refused("57P01"), true, false, hippo.ErrUnavailable},
		"starting up":        {refused("57P03"), true, false, hippo.ErrUnavailable},
		"connections":        {refused("53300"), true, false, hippo.ErrUnavailable},
		"lost":               {&lostError{errors.New("EOF")}, true, false, hippo.ErrUnavailable},
		"a worker lost":      {&pgconn.PgError{Code: "XX000", Message: "could not commit transaction for shard 102040 on at least one active node"}, true, false, nil},
		"full":               {refused("53100"), false, false, hippo.ErrFull},
		"read-only":          {refused("25006"), false, false, hippo.ErrReadOnly},
		"a timeout":          {refused("57014"), false, true, hippo.ErrUnavailable},
		"a bad value":        {refused("22021"), false, true, hippo.ErrInvalid},
		"a broken page":      {refused("XX001"), false, false, hippo.ErrCorrupt},
		"missing tables":     {refused("42P01"), false, false, hippo.ErrUnsupported},
		"no rights":          {refused("42501"), false, false, hippo.ErrUnavailable},
		"the pool":           {fmt.Errorf("%w: all connections are in use", hippo.ErrUnavailable), false, false, hippo.ErrUnavailable},
		"too large":          {refused("54000"), false, true, nil},
		"in doubt":           {fmt.Errorf("%w: %w: %w", hippo.ErrUnavailable, errInDoubt, refused("42501")), false, false, hippo.ErrUnavailable},
		"that of a function": {hippo.Fieldf("content", "is wrong"), false, true, hippo.ErrInvalid},
	} {
		if got := transient(c.err); got != c.transient {
			t.Errorf("%s: tried again: %t", name, got)
		}
		if got := poisonous(c.err); got != c.poisonous {
			t.Errorf("%s: splits a group: %t", name, got)
		}
		if err := db.explain("write", c.err); c.kind != nil && !errors.Is(err, c.kind) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %v", name, err, c.kind)
		}
	}
}
