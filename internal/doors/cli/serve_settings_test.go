package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/doors/cli"
)

// A server whose settings are wrong starts and answers with what is wrong: its client hides what it prints.
func TestServe_Settings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Chdir(dir)
	path := filepath.Join(dir, "config.toml")
	t.Setenv("HIPPO_CONFIG", path)
	const calls = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hippo_status","arguments":{}}}
`
	for _, c := range []struct {
		name, settings string
		args           []string
		code           int
		want           []string
	}{
		{"a key of another version", "color = 1\n", nil, 0, []string{"0 insights", "notice: color has no effect"}},
		{"a flag without effect", "", []string{"--half-life-days", "5"}, 0, []string{"0 insights", "notice: --half-life-days 5 has no effect"}},
		{"no TOML", "store = \"C:\\Users\\me\"\n", nil, 2, []string{"error [invalid]", "line 1", "single quotes"}},
		{"a placeholder", "", []string{"--store", "sqlite:${workspaceFolder}/m.db"}, 2, []string{"error [invalid]", "${workspaceFolder} is not set here"}},
	} {
		if err := os.WriteFile(path, []byte(c.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errw bytes.Buffer
		code := cli.MainAt(t.Context(), time.Now, append([]string{"hippo", "serve", "--share", "off"}, c.args...), strings.NewReader(calls), &out, &errw)
		for _, want := range append(c.want, `"protocolVersion"`) {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, out.String())
			}
		}
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.name, code, c.code, errw.String())
		}
	}
	if list, err := filepath.Glob(filepath.Join(dir, "*{*")); err != nil || len(list) > 0 {
		t.Errorf("folders %v (%v)", list, err)
	}
}
