package peers_test

import (
	"crypto/sha256"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/peers"
)

// database makes a SQLite file by statements, and returns its path.
func database(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	db := openDB(t, path)
	exec(t, db, statements...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func exec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// memoryServiceDB makes the database of mcp-memory-service, or of claude-hippo. Its table of
// vectors is virtual and its module is not there, as for every program without it.
func memoryServiceDB(t *testing.T, own bool) string {
	t.Helper()
	statements := []string{
		"PRAGMA journal_mode = WAL",
		`CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL, content TEXT NOT NULL, tags TEXT, memory_type TEXT,
			metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL DEFAULT NULL)`,
		`INSERT INTO memories VALUES (1, 'h1', 'Deploys freeze on Fridays', 'ops,release', 'decision', '{"quality_score": 0.8, "colour": "red"}',
			1741061167.25, 1741061200, '2025-03-04T04:06:07.250000Z', '', NULL)`,
		`INSERT INTO memories VALUES (2, 'h2', 'Ana owns billing', 'untagged', 'Observation',
			'{"_hippo": {"surprise": {"score": 0.6, "components": {"embedding_outlier": 0.5, "engagement": 0.1, "explicit": 0.9, "prediction_loss": null}, "version": "0.5.0"}}}', 1741061168, 1741061168, '', '', NULL)`,
		`INSERT INTO memories VALUES (3, 'h3', 'Forgotten', '', '', '{}', 1, 1, '', '', 1741061169)`,
		"PRAGMA writable_schema = ON",
		`INSERT INTO sqlite_schema VALUES ('table', 'memory_embeddings', 'memory_embeddings', 0,
			'CREATE VIRTUAL TABLE memory_embeddings USING vec0(content_embedding FLOAT[384] distance_metric=cosine)')`,
		"PRAGMA writable_schema = RESET",
	}
	if own {
		statements = append(statements,
			`CREATE TABLE memory_graph (source_hash TEXT NOT NULL, target_hash TEXT NOT NULL, similarity REAL NOT NULL, connection_types TEXT NOT NULL, metadata TEXT,
				created_at REAL NOT NULL, relationship_type TEXT DEFAULT 'related', PRIMARY KEY (source_hash, target_hash))`,
			`INSERT INTO memory_graph VALUES ('h1', 'h2', 0.9, '["semantic"]', '{}', 1741061170, 'causes'), ('h1', 'h3', 0.9, '[]', '{}', 1741061170, 'related')`)
	} else {
		statements = append(statements,
			"CREATE TABLE memory_associations (from_id INTEGER, to_id INTEGER, weight REAL, last_reinforced REAL, PRIMARY KEY (from_id, to_id))",
			"INSERT INTO memory_associations VALUES (1, 2, 0.3, 1741061171)")
	}
	return database(t, statements...)
}

func claudeMemDB(t *testing.T) string {
	t.Helper()
	return database(t,
		`CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT,
			facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER, created_at TEXT, created_at_epoch INTEGER)`,
		`INSERT INTO observations VALUES (4, 's-1', 'app', NULL, 'bugfix', 'Fixed the login loop', 'The cookie had the wrong path', '["The path was /api"]',
			'The session cookie was scoped to /api.', '["auth"]', '[]', '["src/auth.ts"]', 3, 900, '2026-02-27T10:00:00.000Z', 1772186400000)`,
		`CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT, investigated TEXT, learned TEXT, completed TEXT,
			next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT, created_at TEXT, created_at_epoch INTEGER)`,
		"INSERT INTO session_summaries VALUES (9, 's-1', 'app', 'Fix the login', NULL, 'Cookies need a path', NULL, NULL, NULL, NULL, 'n', '2026-02-27T11:00:00Z', 1772190000000)",
		"CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, prompt_text TEXT)", "INSERT INTO user_prompts VALUES (1, 'fix it')")
}

func engramDB(t *testing.T) string {
	t.Helper()
	return database(t,
		"CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT, directory TEXT, started_at TEXT, ended_at TEXT, summary TEXT)",
		"INSERT INTO sessions VALUES ('s-1', 'app', '/src/app', '2026-02-27 10:00:00', NULL, 'Chose Postgres')",
		`CREATE TABLE observations (id INTEGER PRIMARY KEY, session_id TEXT, type TEXT, title TEXT, content TEXT, tool_name TEXT, project TEXT, scope TEXT, topic_key TEXT,
			normalized_hash TEXT, revision_count INTEGER, duplicate_count INTEGER, last_seen_at TEXT, created_at TEXT, updated_at TEXT, deleted_at TEXT)`,
		`INSERT INTO observations VALUES (1, 's-1', 'decision', 'Database', 'We use Postgres 16.', 'Bash', 'app', 'project', 'architecture/database', 'x', 2, 1, NULL,
			'2026-02-27 10:05:00', '2026-02-27 11:05:00', NULL)`,
		"INSERT INTO observations VALUES (2, 's-1', 'preference', 'Style', 'Short commits.', NULL, 'app', 'personal', NULL, 'y', 1, 1, NULL, '2026-02-27 10:06:00', '2026-02-27 10:06:00', NULL)",
		"CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, content TEXT)")
}

func mem0DB(t *testing.T) string {
	t.Helper()
	const columns = "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
	return database(t, columns,
		"INSERT INTO history VALUES ('1', 'ea925981-272f-40dd-b576-be64e4871429', NULL, 'Likes cricket', 'ADD', '2024-07-26T08:01:43Z', NULL, 0, 'alice', 'user')",
		"INSERT INTO history VALUES ('2', 'b', NULL, 'Lives in Rome', 'ADD', '2024-07-26T08:01:43Z', NULL, 0, NULL, NULL)",
		"INSERT INTO history VALUES ('3', 'ea925981-272f-40dd-b576-be64e4871429', 'Likes cricket', 'Likes to play cricket', 'UPDATE', '2024-07-26T08:01:43Z', '2024-07-27T08:01:43Z', 0, 'alice', NULL)",
		"INSERT INTO history VALUES ('4', 'b', 'Lives in Rome', NULL, 'DELETE', NULL, NULL, 1, NULL, NULL)")
}

func TestOpen_reads_databases(t *testing.T) {
	t.Parallel()
	check(t, memoryServiceDB(t, true), "memory-service.db", peers.Options{})
	check(t, memoryServiceDB(t, false), "claude-hippo.db", peers.Options{})
	check(t, claudeMemDB(t), "claude-mem.db", peers.Options{})
	check(t, engramDB(t), "engram.db", peers.Options{})
	check(t, mem0DB(t), "mem0.db", peers.Options{})
}

// What is only estimated, since the surprise was not known yet, is no surprise of an imported memory; the importance is one.
func TestOpen_leaves_an_estimated_surprise(t *testing.T) {
	t.Parallel()
	path := memoryServiceDB(t, false)
	db := openDB(t, path)
	exec(t, db, `UPDATE memories SET metadata = json_set(metadata, '$._hippo.surprise.version', 'hippo/1 estimated') WHERE id = 2`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := peers.Open(t.Context(), path, peers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for m, err := range s.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if m.Content == "Ana owns billing" {
			found++
			if want := (hippo.Surprise{Explicit: .9}); m.Surprise != want || m.Importance.Base != .9 {
				t.Errorf("it has surprise %+v and importance %+v", m.Surprise, m.Importance)
			}
		}
	}
	if found != 1 {
		t.Errorf("found %d", found)
	}
}

// sums returns the checksums of the files beside a path.
func sums(t *testing.T, path string, suffixes ...string) map[string][sha256.Size]byte {
	t.Helper()
	out := make(map[string][sha256.Size]byte)
	for _, s := range suffixes {
		b, err := os.ReadFile(path + s)
		if err != nil {
			t.Fatal(err)
		}
		out[s] = sha256.Sum256(b)
	}
	return out
}

func TestOpen_reads_a_database_in_use_and_never_writes_to_it(t *testing.T) {
	t.Parallel()
	path := memoryServiceDB(t, false)
	before := sums(t, path, "")
	s, err := peers.Open(t.Context(), path, peers.Options{})
	if err != nil || len(ids(s)) != 2 {
		t.Fatalf("got %v, %v", s, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || before[""] != sums(t, path, "")[""] {
		t.Errorf("reading left files (%v), or changed the database: %v", entries, err)
	}

	writer := openDB(t, path) // has a log, which is not in the file yet
	exec(t, writer, "PRAGMA wal_autocheckpoint = 0", "INSERT INTO memories (content_hash, content, created_at) VALUES ('h4', 'In the log', 1741061172)")
	files := sums(t, path, "", "-wal")
	if n := len(ids(s)); n != 3 {
		t.Errorf("got %d memories, want that of the log, too", n)
	}
	if after := sums(t, path, "", "-wal"); after[""] != files[""] || after["-wal"] != files["-wal"] {
		t.Error("the database or its log was written to")
	}
	exec(t, writer, "BEGIN IMMEDIATE", "INSERT INTO memories (content_hash, content) VALUES ('h5', 'Not committed')")
	if n := len(ids(s)); n != 3 {
		t.Errorf("got %d memories while another program writes", n)
	}
	exec(t, writer, "ROLLBACK")
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpen_names_what_is_wrong_with_a_database(t *testing.T) {
	t.Parallel()
	_, err := peers.Open(t.Context(), database(t, "CREATE TABLE recipes (id INTEGER)", "CREATE TABLE cooks (id INTEGER)"), peers.Options{})
	if err == nil || !strings.Contains(err.Error(), "looks like a SQLite database with the tables cooks, recipes") {
		t.Errorf("got %v", err)
	}
	path := claudeMemDB(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{17, 100, 4096, len(b) / 2} {
		if err := os.WriteFile(path, b[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := peers.Open(t.Context(), path, peers.Options{})
		if err == nil {
			for _, last := range s.Entries() {
				err = last
			}
		}
		if err == nil || hippo.CodeOf(err) != hippo.CodeCorrupt && hippo.CodeOf(err) != hippo.CodeInvalid {
			t.Errorf("%d of %d bytes: got %v", size, len(b), err)
		}
	}
}
