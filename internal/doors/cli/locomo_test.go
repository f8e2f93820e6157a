package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLoCoMo imports a long conversation of two people and asks what was said in
// it, over MCP: most questions find a turn with the answer among the first ten.
func TestLoCoMo(t *testing.T) {
	t.Parallel()
	data := evaluationData(t)
	const talk, wanted = "conv-26", 0.6
	dir := t.TempDir()
	turns := filepath.Join(dir, "talk.jsonl")
	if err := os.WriteFile(turns, bytes.Join(rowsOf(t, filepath.Join(data, "conversations.jsonl"), talk), []byte("\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	store := "sqlite:" + filepath.Join(dir, "memory.db")
	run(t, dir, "import", turns, "--store", store)

	s, err := start(t.Context(), dir, environ(dir), "hippo", "serve", "--store", store)
	if err != nil {
		t.Fatal(err)
	}
	asked, answered := 0, 0
	for _, row := range rowsOf(t, filepath.Join(data, "questions.jsonl"), talk) {
		var q struct {
			Question, Category string
			Relevant           []string `json:"evidence"`
		}
		if err := json.Unmarshal(row, &q); err != nil {
			t.Fatal(err)
		}
		if q.Category != "single-hop" || len(q.Relevant) == 0 {
			continue
		}
		asked++
		if slices.ContainsFunc(search(t, s, q.Question), func(uri string) bool { return slices.Contains(q.Relevant, uri) }) {
			answered++
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	t.Logf("%d of %d questions find their evidence", answered, asked)
	if asked == 0 || float64(answered) < wanted*float64(asked) {
		t.Errorf("%d of %d questions find their evidence, want %.0f %%", answered, asked, 100*wanted)
	}
}

// evaluationData returns the folder of the set, from the environment or beside
// the repository.
func evaluationData(t *testing.T) string {
	t.Helper()
	root := os.Getenv("HIPPO_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(root, "locomo")
	if _, err := os.Stat(filepath.Join(dir, "conversations.jsonl")); err != nil {
		t.Skip("no evaluation data; HIPPO_DATA names the folder that holds locomo/conversations.jsonl")
	}
	return dir
}

// rowsOf returns the lines of one conversation.
func rowsOf(t *testing.T, path, talk string) [][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	var rows [][]byte
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Conversation string `json:"conversation"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if row.Conversation == talk {
			rows = append(rows, bytes.Clone(lines.Bytes()))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// search returns where the first ten insights come from.
func search(t *testing.T, s *session, text string) []string {
	t.Helper()
	result, refused, err := s.call("hippo_search_insights", map[string]any{
		"query": text, "detail": "full", "limit": 10, "format": "json", "max_tokens": 100_000,
	})
	if err != nil || refused {
		t.Fatalf("search %q: %s (%v)", text, result, err)
	}
	var found struct {
		Content struct {
			Results []struct {
				Insight struct {
					Source struct {
						URI string `json:"uri"`
					} `json:"source"`
				} `json:"insight"`
			} `json:"results"`
		} `json:"structuredContent"`
	}
	if err := json.Unmarshal(result, &found); err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range found.Content.Results {
		uris = append(uris, r.Insight.Source.URI)
	}
	return uris
}
