package sharedstore_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
)

// peer is another program on a file: it runs the statements that the program is documented to run.
type peer struct {
	t    testing.TB
	path string
	db   *sql.DB
	// rust: it takes the hash of the raw text, and keeps the vectors of deleted rows.
	rust bool
	// stores: rows have a column store.
	stores bool
}

// peers are the layouts of the other programs.
func peers() []string { return []string{"rust", "python10", "python11"} }

// newPeer makes a file in the layout of a program.
func newPeer(t testing.TB, layout string) *peer {
	t.Helper()
	p := &peer{t: t, path: filepath.Join(t.TempDir(), "theirs.db"), rust: layout == "rust", stores: layout == "python11"}
	script, err := os.ReadFile(filepath.Join("testdata", layout+".sql"))
	if err != nil {
		t.Fatal(err)
	}
	if p.db, err = sql.Open("sqlite", "file:"+p.path+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.db.Close() })
	p.exec(string(script))
	return p
}

func (p *peer) exec(query string, args ...any) {
	p.t.Helper()
	if _, err := p.db.ExecContext(p.t.Context(), query, args...); err != nil {
		p.t.Fatalf("%.60s: %v", query, err)
	}
}

// text returns the first column of a query as text, its rows separated by spaces.
func (p *peer) text(query string, args ...any) string {
	p.t.Helper()
	rows, err := p.db.QueryContext(p.t.Context(), query, args...)
	if err != nil {
		p.t.Fatalf("%.60s: %v", query, err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	var list []string
	for rows.Next() {
		var s sql.NullString
		if err := rows.Scan(&s); err != nil {
			p.t.Fatal(err)
		}
		list = append(list, s.String)
	}
	if err := rows.Err(); err != nil {
		p.t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// hash is what the program calls a text.
func (p *peer) hash(content string) string {
	if !p.rust {
		content = strings.ToLower(strings.TrimSpace(content))
	}
	h := sha256.Sum256([]byte(content))
	return hex.EncodeToString(h[:])
}

// store stores a text as the program does: over a tombstone Python inserts a new row.
func (p *peer) store(content, tags, kind, metadata string, at float64) {
	p.t.Helper()
	hash, when := p.hash(content), time.UnixMicro(int64(at*1e6)).UTC().Format("2006-01-02T15:04:05.000000Z")
	p.exec("DELETE FROM memory_embeddings WHERE rowid IN (SELECT id FROM memories WHERE content_hash = ? AND deleted_at IS NOT NULL)", hash)
	p.exec("DELETE FROM memories WHERE content_hash = ? AND deleted_at IS NOT NULL", hash)
	p.exec(`INSERT INTO memories (content_hash, content, tags, memory_type, metadata, created_at, updated_at, created_at_iso, updated_at_iso)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, hash, content, tags, kind, metadata, at, at, when, when)
	columns, values := "rowid, content_embedding", "?"
	if p.stores {
		columns, values = columns+", store", values+", 'default'"
	}
	p.exec("INSERT INTO memory_embeddings ("+columns+") SELECT id, "+values+" FROM memories WHERE content_hash = ?", blob(embedding(content)), hash)
}

// delete deletes a text as the program does.
func (p *peer) delete(content string, at float64) {
	p.t.Helper()
	if !p.rust {
		p.exec("DELETE FROM memory_embeddings WHERE rowid = (SELECT id FROM memories WHERE content_hash = ?)", p.hash(content))
		p.exec("DELETE FROM memory_graph WHERE source_hash = ?1 OR target_hash = ?1", p.hash(content))
	}
	p.exec("UPDATE memories SET deleted_at = ? WHERE content_hash = ? AND deleted_at IS NULL", at, p.hash(content))
}

// nearest returns the content of the row whose vector is nearest to that of a text.
func (p *peer) nearest(content string) string {
	p.t.Helper()
	return p.text(`SELECT m.content FROM memories m JOIN (SELECT rowid, distance FROM memory_embeddings WHERE content_embedding MATCH ? AND k = 1) e
		ON m.id = e.rowid WHERE m.deleted_at IS NULL`, blob(embedding(content)))
}

// sound checks what the program's own checks do.
func (p *peer) sound() {
	p.t.Helper()
	if got := p.text("PRAGMA integrity_check"); got != "ok" {
		p.t.Errorf("integrity: %s", got)
	}
	if p.text("SELECT name FROM sqlite_schema WHERE name = 'memory_content_fts'") != "" {
		p.exec("INSERT INTO memory_content_fts(memory_content_fts) VALUES('integrity-check')")
	}
	if got := p.text("SELECT count(*) FROM memory_embeddings_rowids WHERE rowid NOT IN (SELECT id FROM memories WHERE deleted_at IS NULL)"); got != "0" {
		p.t.Errorf("%s vectors of rows that are not there", got)
	}
}

// embedding returns a vector that is as near to itself as to no other.
func embedding(text string) []float32 {
	h := sha256.Sum256([]byte(text))
	v := make([]float32, 384)
	sum := 0.0
	for i := range v {
		v[i] = float32(h[i%len(h)]) - 127 + float32(i%7)
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

func blob(v []float32) []byte {
	var b []byte
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// open opens the file as a store.
func (p *peer) open() *sharedstore.Store {
	p.t.Helper()
	s, err := sharedstore.Open(p.t.Context(), p.path, &sharedstore.Options{Now: func() time.Time { return at(9000) }})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = s.Close() })
	return s
}

// at is a time in seconds since 1970.
func at(seconds float64) time.Time { return time.UnixMicro(int64(seconds * 1e6)).UTC() }

// all returns the memories of a store by their text, forgotten ones too.
func all(t testing.TB, s driver.Backend) map[string]*hippo.Memory {
	t.Helper()
	list := make(map[string]*hippo.Memory)
	for c, err := range s.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Memory != nil {
			list[c.Memory.Content] = c.Memory
		}
	}
	return list
}

// memory returns a memory of a text.
func memory(n byte, content string) *hippo.Memory {
	return &hippo.Memory{
		ID: hippo.ID{0: 1, 15: n}, Content: content, ContentHash: hippo.HashContent(content), Tags: []string{"ours", "new"}, Type: "decision",
		Importance: hippo.Importance{Base: .5, Value: .5}, CreatedAt: at(2000.25), UpdatedAt: at(2000.25), Version: 1,
	}
}

// put writes memories.
func put(t testing.TB, s driver.Backend, ms ...*hippo.Memory) {
	t.Helper()
	if err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(ms...) }); err != nil {
		t.Fatal(err)
	}
}

// edit changes the memory of a text.
func edit(t testing.TB, s driver.Backend, content string, fn func(*hippo.Memory)) {
	t.Helper()
	m := all(t, s)[content]
	if m == nil {
		t.Fatalf("%q is not there", content)
	}
	fn(m)
	put(t, s, m)
}
