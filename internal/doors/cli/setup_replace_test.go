package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// Each entry of another program has a question of its own, and a client whose entry is kept gets nothing.
func TestSetup_AsksToReplace(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "APPDATA", "LOCALAPPDATA", "HIPPO_STORE", "HIPPO_MEMORY_DIR", "HIPPO_DB_PATH"} {
		t.Setenv(name, "")
	}
	t.Chdir(t.TempDir())
	const foreign = `{"mcpServers": {"hippo": {"command": "npx", "args": ["-y", "hippo-memory", "mcp"]}}}`
	cursor, windsurf := filepath.Join(home, ".cursor", "mcp.json"), filepath.Join(home, ".codeium", "windsurf", "mcp_config.json")
	for _, path := range []string{cursor, windsurf} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(foreign), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errw strings.Builder
	code := cli.MainOnTerminal(t.Context(), []string{"hippo", "setup", "cursor", "windsurf"}, strings.NewReader("n\ny\n"), &out, &errw)
	if code != 1 || strings.Count(errw.String(), "replace another program's entry named hippo, which starts npx -y hippo-memory mcp? [y/N] ") != 2 {
		t.Errorf("code %d\n%s%s", code, &out, &errw)
	}
	if kept, err := os.ReadFile(cursor); err != nil || string(kept) != foreign {
		t.Errorf("declined, got %s (%v)", kept, err)
	}
	if hooks, err := os.Stat(filepath.Join(filepath.Dir(cursor), "hooks.json")); err == nil {
		t.Errorf("declined, got %s", hooks.Name())
	}
	if made, err := os.ReadFile(windsurf); err != nil || strings.Contains(string(made), "npx") || !strings.Contains(string(made), "--store") {
		t.Errorf("agreed, got %s (%v)", made, err)
	}
}
