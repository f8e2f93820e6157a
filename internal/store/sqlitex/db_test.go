package sqlitex_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// notes is the schema of a file of texts.
func notes() sqlitex.Schema {
	return sqlitex.Schema{Migrations: []string{"CREATE TABLE note (text TEXT NOT NULL) STRICT"}, Table: "note"}
}

func open(t *testing.T, path string, o *sqlitex.Options) *sqlitex.DB {
	t.Helper()
	if o == nil {
		o = &sqlitex.Options{Schema: notes()}
	}
	db, err := sqlitex.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func add(ctx context.Context, db *sqlitex.DB, text string) error {
	return db.Update(ctx, driver.Durable, func(tx *sqlitex.Tx) error { return tx.Exec("INSERT INTO note VALUES (?)", text) })
}

// read returns the texts, in their order.
func read(ctx context.Context, db *sqlitex.DB) (texts []string, err error) {
	err = db.View(ctx, func(q *sqlitex.File) error {
		for rows, err := range sqlitex.Rows(ctx, q, "SELECT text FROM note ORDER BY text") {
			if err != nil {
				return err
			}
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			texts = append(texts, text)
		}
		return nil
	})
	return texts, err
}

// raw runs SQL on a file without this package.
func raw(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpen_CreatesPrivateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b", "100% & ?mem#ory.db")
	if err := add(t.Context(), open(t, path, nil), "a"); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: got mode %o, want %o", filepath.Base(p), got, want)
		}
	}
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer, other := filepath.Join(dir, "newer.db"), filepath.Join(dir, "other.db")
	raw(t, newer, "PRAGMA user_version = 999; CREATE TABLE note (x)")
	raw(t, other, "CREATE TABLE other (x)")
	for _, tc := range []struct {
		name, path string
		want       error
	}{
		{"directory", dir, hippo.ErrInvalid},
		{"not_a_database", write("text.db", strings.Repeat("this is not a database\n", 500)), hippo.ErrCorrupt},
		{"newer_program", newer, hippo.ErrUnsupported},
		{"other_program", other, hippo.ErrUnsupported},
		{"under_a_file", filepath.Join(write("file", "x"), "memory.db"), hippo.ErrUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			before, _ := os.ReadFile(tc.path) // a directory has no content
			db, err := sqlitex.Open(t.Context(), tc.path, &sqlitex.Options{Schema: notes()})
			if err == nil {
				err = db.Close()
				t.Errorf("opened (close: %v)", err)
			}
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.path) {
				t.Errorf("got %v, want %v that names the path", err, tc.want)
			}
			if after, _ := os.ReadFile(tc.path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpen_DamagedPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := add(t.Context(), db, fmt.Sprint(i, strings.Repeat("long ", 500))); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(b); i++ {
		b[i] = 0xa5
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err = sqlitex.Open(t.Context(), path, &sqlitex.Options{Schema: notes()})
	if err == nil {
		_, err = read(t.Context(), db)
		defer db.Close() //nolint:errcheck // it is damaged
	}
	if !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want corrupt with the path", err)
	}
}

// Damage that a read meets in a large file, which the first status does not check, is checked before the next write: all processes reject
// writes then, or none does if the disk had failed for a moment.
func TestUpdate_DamageOfALargeFile(t *testing.T) {
	t.Parallel()
	const large, page = 300 << 20, 4096
	for _, moment := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "memory.db")
		db := open(t, path, nil)
		for i := range 100 {
			if err := add(t.Context(), db, fmt.Sprint(i, strings.Repeat("long ", 500))); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		sound, err := os.ReadFile(path)
		if err == nil {
			err = os.Truncate(path, large)
		}
		if err != nil {
			t.Fatal(err)
		}
		write := func(b []byte) {
			t.Helper()
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteAt(b, 2*page)
			}
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
		db, other := open(t, path, nil), open(t, path, nil)
		write(bytes.Repeat([]byte{0xa5}, len(sound)-2*page))
		if _, err := read(t.Context(), db); !sqlitex.Damaged(err) {
			t.Fatalf("the pages are read: %v", err)
		}
		if moment {
			write(sound[2*page:])
		}
		for _, x := range []*sqlitex.DB{db, other} {
			if err := add(t.Context(), x, "more"); moment && err != nil || !moment && !errors.Is(err, hippo.ErrCorrupt) {
				t.Errorf("for a moment %t: got %v", moment, err)
			}
		}
	}
}

func TestOpen_ReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path, nil)
	if err := add(t.Context(), db, "a"); err != nil {
		t.Fatal(err)
	}
	readOnly := open(t, path, &sqlitex.Options{ReadOnly: true, Schema: notes()})
	if err := add(t.Context(), db, "b"); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t.Context(), readOnly); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q (%v)", got, err)
	}
	if err := add(t.Context(), readOnly, "c"); !errors.Is(err, hippo.ErrReadOnly) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want read-only with the path", err)
	}
	later := notes()
	later.Migrations = append(later.Migrations, "CREATE TABLE more (x)")
	if _, err := sqlitex.Open(t.Context(), path, &sqlitex.Options{ReadOnly: true, Schema: later}); !errors.Is(err, hippo.ErrReadOnly) {
		t.Errorf("with a migration to do: got %v, want read-only", err)
	}
}

// A failed or panicking update changes nothing, and the next one works.
func TestUpdate_Undone(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "memory.db"), nil)
	refused := errors.New("refused")
	for _, panics := range []bool{false, true} {
		func() {
			defer func() {
				if v := recover(); (v == "boom") != panics {
					t.Errorf("recovered %v", v)
				}
			}()
			err := db.Update(t.Context(), driver.Lazy, func(tx *sqlitex.Tx) error {
				if err := tx.Exec("INSERT INTO note VALUES ('never')"); err != nil {
					return err
				}
				if panics {
					panic("boom")
				}
				return refused
			})
			if !errors.Is(err, refused) {
				t.Errorf("got %v, want %v", err, refused)
			}
		}()
	}
	if err := add(t.Context(), db, "a"); err != nil {
		t.Error(err)
	}
	if got, err := read(t.Context(), db); err != nil || !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q (%v), want a alone", got, err)
	}
}

// plainGroup is a group without state.
type plainGroup struct{ *sqlitex.Tx }

func (g plainGroup) Begin(context.Context) *sqlitex.Tx  { return g.Tx }
func (plainGroup) Keep(*sqlitex.Tx)                     {}
func (plainGroup) End() error                           { return nil }
func (plainGroup) Done(error)                           {}
func (plainGroup) Mark(sqlitex.Queryer) (string, error) { return "", nil }

// The number of the data is another one after a commit of others alone, and what a group wants to do before it locks them out is done once.
func TestDataVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path, nil)
	version := func() (v int64) {
		_, v, err := sqlitex.DataVersion(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first, before := version(), 0
	w := sqlitex.NewWriter(db, func() {
		before++
		raw(t, path, fmt.Sprintf("INSERT INTO note VALUES ('theirs %d')", before)) // nobody is locked out yet
	}, func(tx *sqlitex.Tx, _ driver.Durability) (sqlitex.Group[*sqlitex.Tx], error) {
		return plainGroup{tx}, nil
	})
	defer w.Close()
	for range 2 {
		err := w.Write(t.Context(), driver.Durable, func(tx *sqlitex.Tx) error { return tx.Exec("INSERT INTO note VALUES ('ours')") })
		if err != nil {
			t.Fatal(err)
		}
	}
	second := version()
	if err := add(t.Context(), db, "ours"); err != nil {
		t.Fatal(err)
	}
	if third := version(); first == second || second != third || before != 2 {
		t.Errorf("numbers %d, %d, %d; done %d times", first, second, third, before)
	}
	readOnly := open(t, path, &sqlitex.Options{ReadOnly: true, Schema: notes()})
	if _, _, err := sqlitex.DataVersion(t.Context(), readOnly); !errors.Is(err, hippo.ErrReadOnly) {
		t.Errorf("of a file that cannot be written: %v", err)
	}
}

// A full disk fails the writes of a group, keeps what was there, and later ones work.
func TestWriter_Full(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "memory.db"), nil)
	w := sqlitex.NewWriter(db, nil, func(tx *sqlitex.Tx, _ driver.Durability) (sqlitex.Group[*sqlitex.Tx], error) {
		return plainGroup{tx}, nil
	})
	defer w.Close()
	exec := func(query string) error {
		return w.Write(context.Background(), driver.Durable, func(tx *sqlitex.Tx) error { return tx.Exec(query) })
	}
	if err := errors.Join(exec("INSERT INTO note VALUES ('a')"), exec("PRAGMA max_page_count = 20")); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	stored := 0
	for range 10 {
		wg.Go(func() {
			err := exec("INSERT INTO note VALUES (printf('%.*c', 20000, 'x'))")
			if err != nil && !errors.Is(err, hippo.ErrFull) {
				t.Errorf("got %v, want full", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				stored++
			}
		})
	}
	wg.Wait()
	if got, err := read(t.Context(), db); err != nil || stored == 10 || len(got) != 1+stored || got[0] != "a" {
		t.Errorf("%d of 10 writes returned nil, %d texts are there (%v)", stored, len(got), err)
	}
	if err := errors.Join(exec("DELETE FROM note"), exec("INSERT INTO note VALUES ('b')")); err != nil {
		t.Errorf("with space again: %v", err)
	}
}
