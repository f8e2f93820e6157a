package sqlitex_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Tables of the same version are kept; those of any other one, and a damaged file, are
// replaced by empty ones.
func TestOpenDerived(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".hippo", "state.db")
	use := func(what string, s sqlitex.Derived, want ...string) {
		t.Helper()
		db, err := sqlitex.OpenDerived(t.Context(), path, s, nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, err := read(t.Context(), db)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q (%v), want %q", what, got, err, want)
		}
		if err := errors.Join(add(t.Context(), db, what), db.Close()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	first := sqlitex.Derived{Version: 3, SQL: `CREATE TABLE "odd "" name" (x INTEGER PRIMARY KEY) STRICT;
		CREATE TABLE note (text TEXT, x INTEGER REFERENCES "odd "" name" (x)); CREATE INDEX i ON note (text);
		CREATE VIEW v AS SELECT text FROM note; INSERT INTO "odd "" name" VALUES (1); INSERT INTO note VALUES ('made', 1); DELETE FROM note WHERE x <> 1`}
	second := sqlitex.Derived{Version: 2, SQL: "CREATE TABLE note (text TEXT) STRICT"}
	use("created", sqlitex.Derived{Version: 2, SQL: second.SQL})
	use("kept", second, "created")
	raw(t, path, "CREATE TABLE IF NOT EXISTS left_over (x)")
	if db, err := sqlitex.OpenDerived(t.Context(), path, first, nil); err != nil {
		t.Error(err)
	} else if err := db.Close(); err != nil {
		t.Error(err)
	}
	use("another version", second)
	if err := os.WriteFile(path, []byte("this is not a database, and long enough to be sure of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	use("damaged", second)
	use("repaired", second, "damaged")
}

// A process that has the file open when another one removes it goes on with the new one.
func TestOpenDerived_RemovedByAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	s := sqlitex.Derived{Version: 1, SQL: "CREATE TABLE note (text TEXT) STRICT"}
	one, err := sqlitex.OpenDerived(t.Context(), path, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), one, "old"); err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.Remove(path); err != nil {
		if runtime.GOOS == "windows" {
			t.Skipf("Windows does not remove a file that a process has open: %v", errors.Join(err, one.Close()))
		}
		t.Fatal(err)
	}
	two, err := sqlitex.OpenDerived(t.Context(), path, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(add(t.Context(), two, "b"), add(t.Context(), one, "a")); err != nil {
		t.Error(err)
	}
	for _, db := range []*sqlitex.DB{one, two} {
		if got, err := read(t.Context(), db); err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("got %q (%v), want a and b", got, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What a read takes for damage while the disk fails does not end the writes of a sound file.
func TestOpenDerived_DamageOfAMoment(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	s := sqlitex.Derived{Version: 1, SQL: "CREATE TABLE note (text TEXT) STRICT"}
	db, err := sqlitex.OpenDerived(t.Context(), path, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := add(t.Context(), db, strconv.Itoa(i)+strings.Repeat(" long", 500)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = sqlitex.OpenDerived(t.Context(), path, s, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // of no interest
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	wrong := append(slices.Clone(sound[:2*page]), bytes.Repeat([]byte{0xa5}, len(sound)-2*page)...)
	if err := os.WriteFile(path, wrong, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context(), db); !sqlitex.Damaged(err) {
		t.Errorf("the pages are read: %v", err)
	}
	if err := os.WriteFile(path, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), db, "written"); err != nil {
		t.Error(err)
	}
}
