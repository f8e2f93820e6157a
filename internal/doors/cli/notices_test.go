package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// unknownSettings makes settings of which two have no effect, and returns what the notices of them have in common with nothing else.
func unknownSettings(t *testing.T) (dir string, notices []string) {
	t.Helper()
	dir = t.TempDir()
	for name, value := range environment(dir) {
		t.Setenv(name, value)
	}
	t.Chdir(dir)
	path := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(path, []byte("modell = \"none\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HIPPO_CONFIG", path)
	t.Setenv("HIPPO_MODEL", "none")
	t.Setenv("HIPPO_STROE", "x")
	t.Setenv("HIPPO_EMBEDDING_BACKEND", "local") // of claude-hippo
	return dir, []string{"modell has no effect: ", "HIPPO_STROE has no effect: "}
}

// Each command says once on stderr which settings have no effect; its JSON stays JSON.
func TestCommands_UnknownSettings(t *testing.T) {
	_, notices := unknownSettings(t)
	for _, line := range []string{
		"record tabs --share off --json", "search tabs --json", "list --json", "status --json", "context --json", "log --json", "version --json", "model list --json",
		"token list --json", "entity list --json", "graph communities --json", "check --json", "audit --json", "project list --json", "guidance", "run --card", "code status --json", "export",
	} {
		var out, errw bytes.Buffer
		code := cli.MainAt(t.Context(), time.Now, append([]string{"hippo"}, strings.Fields(line)...), strings.NewReader(""), &out, &errw)
		for _, want := range notices {
			if n := strings.Count(errw.String(), want); n != 1 {
				t.Errorf("%s (exit code %d): %q is %d times in %s", line, code, want, n, &errw)
			}
			if n := strings.Count(out.String(), want); n > 0 && !strings.HasPrefix(line, "status") {
				t.Errorf("%s: it prints %s", line, &out)
			}
		}
		if strings.Contains(errw.String(), "HIPPO_EMBEDDING") || code != 0 {
			t.Errorf("%s: exit code %d, stderr %s", line, code, &errw)
		}
		if strings.Contains(line, "--json") && !json.Valid(out.Bytes()) {
			t.Errorf("%s: no JSON: %s", line, &out)
		}
	}
}

// The doctor and the status report them, a hook logs them once, and a server over HTTP has them in its log.
func TestReports_UnknownSettings(t *testing.T) {
	dir, notices := unknownSettings(t)
	run := func(ctx context.Context, line, in string) (out, errw *bytes.Buffer) {
		out, errw = &bytes.Buffer{}, &bytes.Buffer{}
		cli.MainWithin(ctx, time.Minute, false, append([]string{"hippo"}, strings.Fields(line)...), strings.NewReader(in), out, errw)
		return out, errw
	}
	run(t.Context(), "record tabs", "")
	status, _ := run(t.Context(), "status", "")
	asJSON, _ := run(t.Context(), "status --json", "")
	doctor, quiet := run(t.Context(), "doctor", "")
	for range 3 {
		if out, errw := run(t.Context(), "hook user-prompt --client vscode", `{"session_id":"s"}`); out.Len()+errw.Len() > 0 {
			t.Errorf("the hook prints %s%s", out, errw)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "home", "state", "hippo", "hook.log"))
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	_, server := run(ended, "serve --http 127.0.0.1:0", "")
	for _, want := range notices {
		for where, text := range map[string]string{"status": status.String(), "status --json": asJSON.String(), "doctor": doctor.String(), "hook.log": string(log), "log of the server": server.String()} {
			if n := strings.Count(text, want); n != 1 {
				t.Errorf("%s has %q %d times: %s", where, want, n, text)
			}
		}
	}
	if !strings.Contains(doctor.String(), "did you mean HIPPO_STORE?") || quiet.Len() > 0 && strings.Contains(quiet.String(), "no effect") {
		t.Errorf("doctor: %s\n%s", doctor, quiet)
	}
}
