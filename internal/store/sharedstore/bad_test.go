package sharedstore_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// What cannot be opened is left as it is, to the byte, and the error names what is wrong.
func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		layout, change string
		want           error
		text           string
	}{
		"column_that_has_to_be_set": {"python11", "ALTER TABLE memories ADD COLUMN owner TEXT NOT NULL DEFAULT 'x'; CREATE TABLE n AS SELECT 1", nil, ""},
		"unknown_column":            {"python11", "ALTER TABLE memories ADD COLUMN mood TEXT", nil, ""},
		"missing_column":            {"python10", "DROP INDEX idx_deleted_at; ALTER TABLE memories DROP COLUMN deleted_at", hippo.ErrUnsupported, "column memories.deleted_at is missing"},
		"needed_column": {
			"rust", "DROP TABLE memories; CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT, content TEXT, tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL, owner TEXT NOT NULL)",
			hippo.ErrUnsupported, "column memories.owner has to be set",
		},
		"no_memories":  {"rust", "ALTER TABLE memories RENAME TO other", hippo.ErrUnsupported, "has no table memories"},
		"table_of_us":  {"rust", "CREATE TABLE relation (x)", hippo.ErrUnsupported, "has a table relation"},
		"other_vector": {"rust", "DROP TABLE memory_embeddings; CREATE VIRTUAL TABLE memory_embeddings USING vec0(embedding float[4])", hippo.ErrUnsupported, "content_embedding"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, c.layout)
			p.exec(c.change)
			p.exec("PRAGMA journal_mode = DELETE")
			if err := p.db.Close(); err != nil {
				t.Fatal(err)
			}
			before := bytesOf(t, p.path)
			s, err := sharedstore.Open(t.Context(), p.path, nil)
			if c.want == nil {
				if err != nil {
					t.Fatalf("open: %v", err)
				}
				put(t, s, memory(1, redis))
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), p.path) {
				t.Errorf("open: %v", err)
			}
			if bytesOf(t, p.path) != before {
				t.Error("the file was changed")
			}
			if _, err := os.Stat(p.path + ".before-hippo"); err == nil {
				t.Error("it was copied")
			}
		})
	}
}

func bytesOf(t *testing.T, path string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

func TestOpen_newer_version(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "rust")
	if err := p.open().Close(); err != nil {
		t.Fatal(err)
	}
	p.exec("UPDATE shared_state SET own = 99")
	if _, err := sharedstore.Open(t.Context(), p.path, nil); !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), "99") {
		t.Errorf("open: %v", err)
	}
}

func TestOpen_a_store_of_hippo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	own, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := sharedstore.Open(t.Context(), path, nil); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "sqlite:") {
		t.Errorf("open: %v", err)
	}
	shared := newPeer(t, "rust")
	if err := shared.open().Close(); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlitestore.Open(t.Context(), shared.path, nil); !errors.Is(err, hippo.ErrUnsupported) {
		t.Errorf("a shared file opens as a store of its own: %v, %v", s, err)
	}
}

func TestOpen_read_only(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root writes whatever the mode of a file is, and Windows has no such modes")
	}
	p := newPeer(t, "rust")
	if err := os.Chmod(p.path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := sharedstore.Open(t.Context(), p.path, nil); !errors.Is(err, hippo.ErrReadOnly) {
		t.Errorf("open: %v", err)
	}
}

// A file that was opened once before can be read when it cannot be written.
func TestOpen_read_only_later(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root writes whatever the mode of a file is, and Windows has no such modes")
	}
	p := newPeer(t, "rust")
	p.store(cat, "", "note", "{}", 1000)
	if err := p.open().Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.path, 0o400); err != nil {
		t.Fatal(err)
	}
	s := p.open()
	if got := all(t, s); got[cat] == nil {
		t.Errorf("read %v", got)
	}
	if err := s.Write(t.Context(), driver.Durable, func(driver.Tx) error { return nil }); !errors.Is(err, hippo.ErrReadOnly) {
		t.Errorf("write: %v", err)
	}
}

// Vectors of another dimension than that of the file stay in the tables of the store.
func TestVectors_of_another_dimension(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python10")
	p.exec("DROP TABLE memory_embeddings")
	p.exec("CREATE VIRTUAL TABLE memory_embeddings USING vec0(content_embedding FLOAT[768] distance_metric=cosine)")
	s := p.open()
	m := memory(1, redis)
	put(t, s, m)
	if err := s.PutVectors(t.Context(), "contextual@1", []driver.Vector{{ID: m.ID, Values: embedding(redis)}}); err != nil {
		t.Fatal(err)
	}
	vs, err := s.Vectors(t.Context(), "contextual@1", []hippo.ID{m.ID})
	if got := p.text("SELECT count(*) FROM memory_embeddings_rowids"); err != nil || len(vs) != 1 || got != "0" {
		t.Errorf("%d vectors here, %s there (%v)", len(vs), got, err)
	}
	p.sound()
}

// A writer waits for one of another program.
func TestWrite_waits_for_others(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	s := p.open()
	conn, err := p.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // it only releases the connection
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		done <- s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(1, redis)) })
	}()
	select {
	case err := <-done:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	if _, err := conn.ExecContext(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || p.text("SELECT content FROM memories") != redis {
		t.Errorf("write: %v", err)
	}
}
