package cli_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/base/screen/screentest"
)

// What commands import and capture without a person leaves no secret of the corpus in any file of the program: not in the
// store, the log, an index or a ledger; and none is printed.
func TestSecrets_LeaveNoTrace(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, filepath.Join(home, strings.ToLower(name)))
	}
	t.Setenv("HIPPO_LOG", "debug")
	input := t.TempDir()
	cases := screentest.Secrets()
	var rows, session, markdown bytes.Buffer
	for i, c := range cases {
		write := func(w *bytes.Buffer, v any) {
			if err := json.NewEncoder(w).Encode(v); err != nil {
				t.Fatal(err)
			}
		}
		row := map[string]any{"content": c.Text}
		if i%3 == 0 {
			row = map[string]any{"content": "note", "note": map[string]any{"deep": []string{c.Text}}}
		}
		write(&rows, row)
		write(&rows, map[string]any{"content": "note", "created_at": c.Text}) // an error repeats it
		said := "From now on always use this: " + strings.Join(strings.Fields(c.Text), " ")
		write(&session, map[string]any{
			"type": "user", "uuid": string(rune('a'+i%26)) + strings.Repeat("x", i), "sessionId": "s", "timestamp": "2026-11-03T10:00:00Z",
			"message": map[string]any{"role": "user", "content": said},
		})
		markdown.WriteString("- " + strings.Join(strings.Fields(c.Text), " ") + "\n")
	}
	files := map[string]string{"rows.jsonl": rows.String(), "session.jsonl": session.String(), "MEMORY.md": markdown.String()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(input, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"import", filepath.Join(input, "rows.jsonl")},
		{"import", filepath.Join(input, "rows.jsonl"), "--json"},
		{"import", filepath.Join(input, "session.jsonl")},
		{"import", filepath.Join(input, "MEMORY.md")},
		{"capture", filepath.Join(input, "session.jsonl"), "--dry-run"},
		{"capture", filepath.Join(input, "session.jsonl")},
		{"capture", filepath.Join(input, "session.jsonl"), "--json"},
		{"status"},
		{"search", "use this"},
		{"context"},
	} {
		p := hippoRun(t, nil, args...)
		for _, c := range cases {
			if shows(p.out+p.errw, c.Hidden) {
				t.Errorf("%v (exit %d) shows %q:\n%.2000s", args, p.code, c.Hidden, p.out+p.errw)
				break
			}
		}
	}
	err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, c := range cases {
			if shows(string(data), c.Hidden) {
				t.Errorf("%s holds %q", path, c.Hidden)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// shows reports whether a text has a secret; one that is short may stand in it by accident.
func shows(text, hidden string) bool { return len(hidden) >= 10 && strings.Contains(text, hidden) }
