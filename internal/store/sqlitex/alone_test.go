package sqlitex_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// refused checks that a file is read and not written, and that the error says what to do.
func refused(t *testing.T, db *sqlitex.DB) {
	t.Helper()
	if got, err := read(t.Context(), db); err != nil || !slices.Equal(got, []string{"a"}) {
		t.Errorf("read %q (%v)", got, err)
	}
	if err := add(t.Context(), db, "lost"); !errors.Is(err, hippo.ErrReadOnly) || !strings.Contains(err.Error(), "2 names") || !strings.Contains(err.Error(), "remove the other names") {
		t.Errorf("write: got %v", err)
	}
}

// Of a file with two names, each has a log of its own: nothing is written through either, also where the second name came while the
// file was open. With one name again it is written again, without being opened again.
func TestUpdate_TwoNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "memory.db"), filepath.Join(dir, "other.db")
	db := open(t, path, nil)
	if err := add(t.Context(), db, "a"); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, other); err != nil {
		t.Skipf("this system lets the test create no link: %v", err)
	}
	refused(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	one, two := open(t, path, nil), open(t, other, nil)
	refused(t, one)
	refused(t, two)
	if err := sqlitex.Unfit(path); !errors.Is(err, hippo.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), one, "b"); err != nil {
		t.Error(err)
	}
	if got, err := read(t.Context(), one); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("read %q (%v)", got, err)
	}
}

// The name under which a file was made is removed, where its process did not come to do it.
func TestOpen_UnfinishedName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	if err := open(t, path, nil).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, path+".new-123"); err != nil {
		t.Skipf("this system lets the test create no link: %v", err)
	}
	if err := add(t.Context(), open(t, path, nil), "a"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + ".new-123"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the name is still there (%v)", err)
	}
}

// A file that was cut to 0 bytes is damage where something beside it shows that it had data; else it is new.
func TestOpen_Emptied(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		beside string
		want   error
	}{"owner": {"-owner", hippo.ErrCorrupt}, "log": {"-wal", hippo.ErrCorrupt}, "index": {".index", hippo.ErrCorrupt}, "new": {".txt", nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			if err := errors.Join(os.WriteFile(path, nil, 0o600), os.WriteFile(path+tc.beside, []byte("x"), 0o600)); err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{true, false} {
				db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes(), ReadOnly: readOnly})
				if tc.want != nil {
					if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), path+tc.beside) || !strings.Contains(err.Error(), "hippo restore") {
						t.Errorf("got %v, want %v", err, tc.want)
					}
				} else if !readOnly && err != nil {
					t.Error(err)
				}
				if err == nil {
					_ = db.Close()
				}
			}
			if info, err := os.Stat(path + tc.beside); err != nil || info.Size() != 1 {
				t.Errorf("%s was changed (%v)", tc.beside, err)
			}
		})
	}
}

// A store that is cut to 0 bytes while it is open is not written any more.
func TestUpdate_Emptied(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it is damaged
	if err := errors.Join(add(t.Context(), db, "a"), os.Truncate(path, 0)); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), db, "b"); !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), "0 bytes") {
		t.Errorf("got %v", err)
	}
}

// Derived data is copied, so that two folders that were copied by hard links do not share it.
func TestOpenDerived_TwoNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	s := sqlitex.Derived{Version: 1, SQL: notes().Migrations[0]}
	one, err := sqlitex.OpenDerived(t.Context(), path, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(add(t.Context(), one, "a"), one.Close(), os.Link(path, other)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, other} {
		db, err := sqlitex.OpenDerived(t.Context(), p, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := add(t.Context(), db, filepath.Base(p)); err != nil {
			t.Error(err)
		}
		if got, err := read(t.Context(), db); err != nil || !slices.Equal(got, []string{"a", filepath.Base(p)}) {
			t.Errorf("%s has %q (%v)", p, got, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
