package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hookStore is a store with the notes of testdata/hooks, and the program that answers its hooks.
type hookStore struct {
	t   *testing.T
	dir string
	env []string
}

func openHookStore(t *testing.T) *hookStore {
	t.Helper()
	h := &hookStore{t: t, dir: t.TempDir()}
	h.env = append(environ(h.dir), "HIPPO_PROJECT=ward")
	notes, err := os.ReadFile(filepath.Join("testdata", "hooks", "notes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for line := range strings.Lines(string(notes)) {
		kind, text, _ := strings.Cut(strings.TrimSpace(line), "|")
		b, err := json.Marshal(map[string]string{"type": kind, "content": text, "project": "ward"})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(b, '\n'))
	}
	path := filepath.Join(h.dir, "notes.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	runIn(t, h.dir, h.env, "import", path)
	runIn(t, h.dir, h.env, "confirm", "imported")
	return h
}

// hook returns the memories that a hook injects, a line each.
func (h *hookStore) hook(event string, fields map[string]any) []string {
	h.t.Helper()
	fields["cwd"] = h.dir
	in, err := json.Marshal(fields)
	if err != nil {
		h.t.Fatal(err)
	}
	c := exec.CommandContext(h.t.Context(), "hippo", "hook", event, "--client", "claude-code")
	c.Dir, c.Env, c.Stdin = h.dir, h.env, strings.NewReader(string(in))
	out, err := c.Output()
	if err != nil {
		h.t.Fatal(err)
	}
	var answer struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &answer); err != nil {
			h.t.Fatalf("%v: %s", err, out)
		}
	}
	var items []string
	for line := range strings.Lines(answer.Specific.Context) {
		if strings.HasPrefix(line, "- ") {
			items = append(items, line)
		}
	}
	return items
}

// A prompt brings the note that it reminds of to a fresh session; once that is in the session, it brings nothing.
func TestHook_NoFillers(t *testing.T) {
	t.Parallel()
	h := openHookStore(t)
	prompts, err := os.ReadFile(filepath.Join("testdata", "hooks", "prompts.txt"))
	if err != nil {
		t.Fatal(err)
	}
	found, fillers, n := 0, 0, 0
	for line := range strings.Lines(string(prompts)) {
		prompt, want, _ := strings.Cut(strings.TrimSpace(line), "|")
		event := map[string]any{"session_id": fmt.Sprint("s", n), "prompt": prompt, "hook_event_name": "UserPromptSubmit"}
		n++
		if strings.Contains(strings.Join(h.hook("user-prompt", event), ""), want) {
			found++
		} else {
			t.Logf("a fresh session does not get %q with %q", want, prompt)
		}
		if again := h.hook("user-prompt", event); len(again) > 0 {
			fillers++
			t.Errorf("%q again brings %q", prompt, again)
		}
	}
	t.Logf("right note in a fresh session: %d of %d; fillers: %d of %d", found, n, fillers, n)
	if found < n-1 {
		t.Errorf("%d of %d prompts bring the right note", found, n)
	}
}

// A prompt that has only a word in common with a note, in another meaning, mostly brings nothing. Of those that bring one some are
// related: a mocked clock and the fake clock of tests.
func TestHook_Unrelated(t *testing.T) {
	t.Parallel()
	h := openHookStore(t)
	prompts, err := os.ReadFile(filepath.Join("testdata", "hooks", "unrelated.txt"))
	if err != nil {
		t.Fatal(err)
	}
	bring, n := 0, 0
	for line := range strings.Lines(string(prompts)) {
		n++
		if got := h.hook("user-prompt", map[string]any{"session_id": fmt.Sprint("u", n), "prompt": strings.TrimSpace(line), "hook_event_name": "UserPromptSubmit"}); len(got) > 0 {
			bring++
			t.Logf("%q brings %q", strings.TrimSpace(line), got)
		}
	}
	if t.Logf("%d of %d prompts bring something", bring, n); n != 40 || bring > 8 {
		t.Errorf("%d of %d prompts bring something", bring, n)
	}
}

// A command that failed brings what names it, and else nothing.
func TestHook_FailureNames(t *testing.T) {
	t.Parallel()
	h := openHookStore(t)
	for i, tc := range []struct{ command, failure, want string }{
		{"go test ./...", "dial tcp 127.0.0.1:6379: connect: connection refused", "6379 belongs to the legacy cache"},
		{"go test ./...", "dial tcp 127.0.0.1:6399: connect: connection refused", ""},
		{"view study.dcm", "dial tcp 10.2.0.7:27000: i/o timeout", "licence server"},
		{"npm ci", "npm error: cannot find module zod", "npm breaks the lockfile"},
		{"cargo build", "error: could not compile the crate of the sensor in 4 seconds", ""},
	} {
		got := h.hook("post-tool", map[string]any{
			"session_id": fmt.Sprint("f", i), "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": map[string]string{"command": tc.command}, "error": "Exit code 1\n" + tc.failure,
		})
		if all := strings.Join(got, ""); len(got) > 1 || tc.want == "" && all != "" || !strings.Contains(all, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.failure, got, tc.want)
		}
	}
}
