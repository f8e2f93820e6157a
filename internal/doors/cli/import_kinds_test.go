package cli_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the driver
)

// claudeHippoDB makes a database of claude-hippo with two memories and an association.
func claudeHippoDB(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT, content TEXT, tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL)`,
		`INSERT INTO memories VALUES (1, 'h1', 'Deploys freeze on Fridays', 'ops', 'decision', '{}', 1741061167, 1741061167), (2, 'h2', 'Ana owns billing', '', '', '{}', 1741061168, 1741061168)`,
		`CREATE TABLE memory_associations (from_id INTEGER, to_id INTEGER, weight REAL, last_reinforced REAL)`,
		`INSERT INTO memory_associations VALUES (1, 2, 0.5, 1741061169)`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each of the kinds that can be moved in is recognised under a name that says nothing, adds
// something, and nothing when it is imported twice.
func TestImport_Kinds(t *testing.T) {
	t.Parallel()
	peer := func(name string) string { return filepath.Join("..", "..", "importer", "peers", "testdata", name) }
	transcript := func(name string) string { return filepath.Join("..", "..", "agents", "transcript", "testdata", name) }
	for _, c := range []struct {
		title, path, kind string
		args              []string
	}{
		{"MCP memory server", peer("memory.jsonl"), "knowledge graph", nil},
		{"mcp-memory-service", peer("memory-service.json"), "mcp-memory-service", nil},
		{"claude-hippo", claudeHippoDB(t), "claude-hippo", nil},
		{"claude-mem", peer("claude-mem.json"), "claude-mem", nil},
		{"engram", peer("engram.json"), "engram", nil},
		{"mem0", peer("mem0.json"), "mem0", nil},
		{"basic-memory", peer("vault"), "basic-memory", nil},
		{"ChatGPT export", peer("chatgpt.json"), "chatgpt export", nil},
		{"Claude export", peer("claude-conversations.json"), "claude export", nil},
		{"Claude Code transcript", transcript("claude-code.jsonl"), "transcript", nil},
		{"Codex transcript", transcript("codex.jsonl"), "transcript", nil},
		{"notes", peer("CLAUDE.md"), "notes", nil},
		{"CSV", peer("notes.csv"), "csv", []string{"--map", "content=text,tags=labels"}},
		{"document", peer("page.html"), "html", nil},
	} {
		t.Run(c.title, func(t *testing.T) {
			t.Parallel()
			path := c.path
			if b, err := os.ReadFile(c.path); err == nil && c.kind != "notes" { // the name is what says that a file is notes
				path = filepath.Join(t.TempDir(), "x")
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"import", path, "--json", "--store", "sqlite:" + filepath.Join(t.TempDir(), "m.db")}, c.args...)
			type report struct {
				Kind                    string
				Added, Updated, Present int
			}
			run := func() (r report) {
				p := hippoRun(t, nil, args...)
				if err := json.Unmarshal([]byte(p.out), &r); err != nil {
					t.Fatalf("%v: %q %q", err, p.out, p.errw)
				}
				return r
			}
			first := run()
			if first.Kind != c.kind || first.Added == 0 {
				t.Errorf("got %+v, want kind %q and more than none", first, c.kind)
			}
			if again := run(); again != (report{Kind: c.kind, Present: first.Added + first.Present}) {
				t.Errorf("a second time: got %+v after %+v", again, first)
			}
		})
	}
}
