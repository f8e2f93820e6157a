package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/agents/hook"
	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// complained returns the text that an answer shows to the user or to the model of a client, in the form of that client;
// false: the answer has none.
func complained(t *testing.T, client, out string) (string, bool) {
	t.Helper()
	if client == "kiro" || client == "amazon-q" {
		return out, out != ""
	}
	var answer struct {
		Message  *string `json:"systemMessage"`
		Context  *string `json:"additional_context"`
		Specific struct {
			Event   string  `json:"hookEventName"`
			Context *string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
		Continue *bool `json:"continue"`
	}
	if out == "" {
		return "", false
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&answer); err != nil {
		t.Fatalf("%s: %v in %q", client, err, out)
	}
	if c := answer.Continue; c != nil && !*c {
		t.Errorf("%s: it blocks: %s", client, out)
	}
	text := map[string]*string{"cursor": answer.Context, "opencode": answer.Specific.Context}[client]
	if client != "cursor" && client != "opencode" {
		text = answer.Message
	}
	if text == nil {
		return "", false
	}
	return *text, true
}

// Settings that are wrong neither block a client nor are silent: its session begins with one line in the form that the client
// shows, and hook.log has the reason at each event.
func TestHook_BrokenSettings(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.toml")
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	t.Setenv("HIPPO_CONFIG", path)
	for settings, want := range map[string]string{
		"store = [\n":               "line 1",
		"ranker = \"best\"\n":       "ranker: must be",
		"store = \"~you/m.db\"\n":   "only ~ and ~/ are understood",
		"model = \"ftp://x#y\"\n":   "model: must be like",
		"history = \"a\\nb\\nc\"\n": "history: must be",
	} {
		if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, client := range hook.Clients() {
			for _, event := range hook.Events() {
				checkComplaint(t, dir, client, event, want)
			}
		}
	}
}

func checkComplaint(t *testing.T, dir, client string, event hook.Event, want string) {
	t.Helper()
	log := filepath.Join(dir, "state", "hippo", "hook.log")
	if err := os.RemoveAll(log); err != nil {
		t.Fatal(err)
	}
	var out, errw bytes.Buffer
	code := cli.MainWithin(t.Context(), time.Minute, false, []string{"hippo", "hook", string(event), "--client", client}, strings.NewReader(`{"session_id":"s"}`), &out, &errw)
	if code != 0 || errw.Len() > 0 {
		t.Errorf("%s of %s: exit code %d, stderr %q", event, client, code, &errw)
	}
	text, ok := complained(t, client, out.String())
	if ok != (event == hook.SessionStart && client != "windsurf") {
		t.Errorf("%s of %s: printed %q", event, client, &out)
	}
	if ok && (!strings.Contains(text, want) || !strings.HasPrefix(text, "Hippo remembers nothing") || strings.Contains(strings.TrimSpace(text), "\n")) {
		t.Errorf("%s of %s: got %q, want a line with %q", event, client, text, want)
	}
	if client == "cursor" && event == hook.UserPrompt && !strings.Contains(out.String(), `"continue":true`) {
		t.Errorf("a prompt of cursor waits for permission: %q", &out)
	}
	logged, _ := os.ReadFile(log)
	if !slices.ContainsFunc(strings.Split(string(logged), "\n"), func(line string) bool { return strings.Contains(line, want) }) {
		t.Errorf("%s of %s: no %q in the log %q", event, client, want, logged)
	}
}
