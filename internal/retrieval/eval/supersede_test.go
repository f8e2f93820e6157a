package eval_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// loadRows writes a set with these rows and loads it.
func loadRows(t *testing.T, rows ...string) ([]*eval.Set, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"corpus.jsonl": strings.Join(rows, "\n"), "queries.jsonl": `{"_id":"q","text":"port"}`, "qrels.tsv": "q\tb\t1",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return eval.Load(dir)
}

func TestLoad_Supersedes(t *testing.T) {
	t.Parallel()
	const a, b = `{"_id":"a","text":"port 80","created_at":"2025-01-01T00:00:00Z"}`, `{"_id":"b","text":"port 81","created_at":"2025-02-01T00:00:00Z","supersedes":"a"}`
	sets, err := loadRows(t, a, b)
	if err != nil {
		t.Fatal(err)
	}
	docs := sets[0].Groups[0].Docs
	if docs[0].SupersededBy != docs[1].ID || !docs[0].ValidUntil.Equal(docs[1].CreatedAt) || len(docs[1].Metadata) != 0 {
		t.Errorf("got %+v and %+v", docs[0], docs[1])
	}
	for name, rows := range map[string][]string{
		"unknown": {b},
		"itself":  {`{"_id":"a","text":"x","supersedes":"a"}`},
		"a list":  {a, `{"_id":"b","text":"x","supersedes":["a"]}`},
		"twice":   {a, b, `{"_id":"c","text":"x","supersedes":"a"}`},
	} {
		var field *hippo.FieldError
		if _, err := loadRows(t, rows...); !errors.As(err, &field) || field.Field != "supersedes" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
