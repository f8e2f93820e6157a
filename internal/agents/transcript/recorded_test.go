package transcript_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// The recordings were made by running the clients against a model that answers the same prompt
// with a command that fails, and then with a text.
func TestRecordedTranscripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file   string
		client transcript.Client
	}{
		{"claude-code.jsonl", transcript.ClaudeCode},
		{"codex.jsonl", transcript.Codex},
		{"gemini-cli.jsonl", transcript.GeminiCLI},
		{"opencode.json", transcript.OpenCode},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			x, err := transcript.ReadFile(t.Context(), filepath.Join("testdata", c.file), transcript.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if x.Client != c.client || x.Session == "" || x.Malformed+x.TooLong > 0 {
				t.Fatalf("client %q, session %q, %d malformed, %d too long", x.Client, x.Session, x.Malformed, x.TooLong)
			}
			var said []string
			for _, turn := range x.Turns {
				if turn.Time.IsZero() && turn.Role != transcript.RoleSystem {
					t.Errorf("turn %s has no time", turn.ID)
				}
				if turn.Text != "" {
					said = append(said, string(turn.Role)+": "+turn.Text)
				}
				for _, call := range turn.Calls {
					said = append(said, "call: "+call.Input)
				}
				for _, r := range turn.Results {
					if !r.Error || r.Refused || r.Name == "" || !strings.Contains(r.Output, "No such file") {
						t.Errorf("result %+v", r)
					}
				}
			}
			want := []string{"user: No, use pnpm instead of npm in this repository.", "call: ls /nonexistent-dir", "assistant: MOCK ANSWER"}
			if d := cmp.Diff(want, said); d != "" {
				t.Error(d)
			}
			if last := x.Turns[len(x.Turns)-1]; last.Cwd != "/home/dev/app" {
				t.Errorf("folder %q", last.Cwd)
			}
		})
	}
}
