package setup_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/config"
)

// TestMain makes the test binary run as a server or a hook if its arguments ask for it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		os.Exit(fakeServer(os.Args[3]))
	}
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		os.Exit(fakeHook(os.Args[len(os.Args)-1]))
	}
	os.Exit(m.Run())
}

// fakeServer answers like a server of version 1 whose failure its store names.
func fakeServer(store string) int {
	if strings.HasSuffix(store, "crash") {
		fmt.Fprintln(os.Stderr, "no luck")
		return 1
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var request struct {
			ID     int
			Method string
		}
		if err := json.Unmarshal(in.Bytes(), &request); err != nil || strings.HasSuffix(store, "hang") {
			continue
		}
		result := map[string]string{
			"initialize": `{"serverInfo":{"version":"1"}}`, "tools/list": `{"tools":[{"name":"a"},{"name":"b"}]}`, "tools/call": `{"isError":false}`,
		}[request.Method]
		switch {
		case strings.HasSuffix(store, "noise"):
			result = "noise"
		case strings.HasSuffix(store, "broken") && request.Method == "tools/call":
			result = `{"isError":true,"content":[{"type":"text","text":"the store is broken"}]}`
		}
		if result != "" {
			fmt.Fprintf(os.Stdout, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}\n", request.ID, result)
		}
	}
	return 0
}

// fakeHook reads its input, and fails if its store says so.
func fakeHook(store string) int {
	var input struct {
		SessionID string `json:"session_id"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil || input.SessionID == "" || strings.HasSuffix(store, "badhook") {
		fmt.Fprintln(os.Stderr, "unknown command \"hook\"")
		return 2
	}
	if strings.HasSuffix(store, "quiet") { // as the program does, which must never disturb a client
		dir := filepath.Join(os.Getenv("XDG_STATE_HOME"), "hippo")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return 1
		}
		if err := os.WriteFile(filepath.Join(dir, "hook.log"), []byte("level=ERROR msg=\"hook failed\"\n"), 0o600); err != nil {
			return 1
		}
	}
	return 0
}

// diagnose sets a client up with the test binary and a store, and returns what the doctor says.
func diagnose(t *testing.T, m *machine, client, store string, change func(*setup.Options)) []setup.Check {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := m.options(setup.User)
	o.Command = setup.Command{Binary: binary, Store: store}
	if change != nil {
		change(o)
	}
	c, ok := setup.Find(client)
	if !ok {
		t.Fatal(client)
	}
	m.run(t, o, *c)
	var out []setup.Check
	d := setup.Doctor{Host: m.Host, Binary: "/opt/hippo", Version: "1", Hooks: true, Limit: time.Minute, Report: func(k setup.Check) { out = append(out, k) }}
	d.Shared = func(context.Context, config.Store) (string, []string, error) {
		return "two rows", []string{"one row"}, nil
	}
	if strings.HasSuffix(store, "hang") {
		d.Limit = 50 * time.Millisecond
	}
	d.Run(t.Context(), []setup.Client{*c})
	return out
}

// states returns the state of each check.
func states(checks []setup.Check) map[string]setup.State {
	out := make(map[string]setup.State)
	for _, k := range checks {
		out[k.Name] = k.State
	}
	return out
}

// In the home folder, the files of a project are those of the user, and are checked once.
func TestDoctor_InTheHomeFolder(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "")
	m.Dir = m.Home
	var servers []setup.Scope
	for _, k := range diagnose(t, m, "cursor", "dir:/nowhere/well", nil) {
		if k.Name == "server" {
			servers = append(servers, k.Scope)
		}
	}
	if d := cmp.Diff([]setup.Scope{setup.User}, servers); d != "" {
		t.Errorf("scopes of the server (-want +got):\n%s", d)
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, client, store string
		change              func(*setup.Options)
		want                map[string]setup.State
		text, fix           string // of some check
	}{
		{
			name: "well", client: "claude-code", store: "dir:/nowhere/well",
			want: map[string]setup.State{"program": "warning", "server": "ok", "store": "ok", "hooks": "ok", "guidance": "ok"}, text: "9 run",
		},
		{
			name: "crash", client: "zed", store: "dir:/nowhere/crash",
			want: map[string]setup.State{"program": "warning", "server": "failure", "store": "ok", "guidance": "ok"}, text: "no luck", fix: "serve --store",
		},
		{
			name: "hang", client: "zed", store: "dir:/nowhere/hang",
			want: map[string]setup.State{"program": "warning", "server": "failure", "store": "ok", "guidance": "ok"}, text: "did not answer in time",
		},
		{
			name: "noise", client: "zed", store: "dir:/nowhere/noise",
			want: map[string]setup.State{"program": "warning", "server": "failure", "store": "ok", "guidance": "ok"}, text: "not JSON",
		},
		{
			name: "broken", client: "zed", store: "dir:/nowhere/broken",
			want: map[string]setup.State{"program": "warning", "server": "failure", "store": "ok", "guidance": "ok"}, text: "the store is broken",
		},
		{
			name: "hook", client: "gemini", store: "dir:/nowhere/badhook",
			want: map[string]setup.State{"program": "warning", "server": "ok", "store": "ok", "hooks": "failure", "guidance": "ok"}, text: `unknown command "hook"`, fix: "update hippo",
		},
		{
			name: "quiet_hook", client: "gemini", store: "dir:/nowhere/quiet",
			want: map[string]setup.State{"program": "warning", "server": "ok", "store": "ok", "hooks": "failure", "guidance": "ok"}, text: "its log says: level=ERROR",
		},
		{
			name: "no_hooks", client: "cursor", store: "dir:/nowhere/well", change: func(o *setup.Options) { o.Hooks = false },
			want: map[string]setup.State{"program": "warning", "server": "ok", "store": "ok", "hooks": "warning"}, text: "none registered", fix: "hippo setup cursor",
		},
		{
			name: "trust", client: "codex", store: "dir:/nowhere/well",
			want: map[string]setup.State{"program": "warning", "server": "ok", "store": "ok", "hooks": "hint", "guidance": "ok"}, text: "codex runs each after you trust it", fix: "start codex once",
		},
		{
			name: "script", client: "opencode", store: "dir:/nowhere/well",
			want: map[string]setup.State{"program": "warning", "server": "ok", "store": "ok", "hooks": "ok", "guidance": "ok"}, text: "3 run",
		},
		{
			name: "shared", client: "zed", store: "shared:.",
			want: map[string]setup.State{"program": "warning", "server": "ok", "store": "hint", "guidance": "ok"}, text: "two rows; odd: one row",
		},
		{
			name: "gone", client: "zed", store: "memory:", change: func(o *setup.Options) { o.Command.Binary = "/gone/hippo" },
			want: map[string]setup.State{"program": "warning", "server": "failure", "store": "warning", "guidance": "ok"}, text: "/gone/hippo does not exist", fix: "hippo setup zed",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := diagnose(t, newMachine(t, ""), tc.client, tc.store, tc.change)
			if diff := cmp.Diff(tc.want, states(got)); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", got, diff)
			}
			all := fmt.Sprintf("%+v", got)
			if !strings.Contains(all, tc.text) || !strings.Contains(all, tc.fix) {
				t.Errorf("got %s, want %q and %q", all, tc.text, tc.fix)
			}
		})
	}
}

// Codex keeps a hash for each hook that its user trusts. Only those of all our hooks will do.
func TestDoctor_CodexTrust(t *testing.T) {
	t.Parallel()
	const store = "dir:/nowhere/well"
	events := []string{"session_start", "user_prompt_submit", "post_tool_use", "pre_compact", "subagent_stop", "stop", "session_end"}
	for _, tc := range []struct {
		name, file, place string
		events            []string
		want              setup.State
	}{
		{"all", "home/.codex/hooks.json", "1:0", events, setup.OK},
		{"one is missing", "home/.codex/hooks.json", "1:0", events[1:], setup.Hint},
		{"those of the user", "home/.codex/hooks.json", "0:0", events, setup.Hint},
		{"those of a project", "project/.codex/hooks.json", "1:0", events, setup.Hint},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, "")
			mine, settings := make(map[string]string), "[hooks.state]\n"
			for _, e := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "SubagentStop", "Stop", "SessionEnd"} {
				mine[e] = `[{"hooks": [{"type": "command", "command": "mine"}]}]`
			}
			for _, e := range tc.events {
				settings += fmt.Sprintf("%q = {trusted_hash = \"sha256:00\"}\n", filepath.Join(filepath.Dir(m.Home), tc.file)+":"+e+":"+tc.place)
			}
			var groups []string
			for e, g := range mine {
				groups = append(groups, fmt.Sprintf("%q: %s", e, g))
			}
			m.write(t, "home/.codex/hooks.json", `{"hooks": {`+strings.Join(groups, ", ")+`}}`)
			m.write(t, "home/.codex/config.toml", settings)
			got := diagnose(t, m, "codex", store, nil)
			if s := states(got)["hooks"]; s != tc.want {
				t.Errorf("hooks: got %s, want %s: %+v", s, tc.want, got)
			}
		})
	}
}

// What a person changed since the setup is reported.
func TestDoctor_Changed(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "")
	const store = "dir:/nowhere/well"
	diagnose(t, m, "gemini", store, nil)
	m.write(t, "home/.gemini/GEMINI.md", strings.Replace(m.read(t, "home/.gemini/GEMINI.md"), "Hippo", "Hipo", 1))
	c, _ := setup.Find("gemini")
	var got []setup.Check
	d := setup.Doctor{Host: m.Host, Binary: "/opt/hippo", Version: "2", Hooks: true, Limit: time.Minute, Report: func(k setup.Check) { got = append(got, k) }}
	d.Run(t.Context(), []setup.Client{*c})
	want := map[string]setup.State{"program": "warning", "server": "warning", "store": "ok", "hooks": "ok", "guidance": "warning"}
	if diff := cmp.Diff(want, states(got)); diff != "" || !strings.Contains(fmt.Sprint(got), "version 1, this is 2") {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
	m.write(t, "home/.gemini/settings.json", "{")
	got = nil
	d.Run(t.Context(), []setup.Client{*c})
	if states(got)["file"] != setup.Failure {
		t.Errorf("a damaged file: got %+v", got)
	}
	if err := os.Remove(filepath.Join(m.Home, ".gemini", "settings.json")); err != nil {
		t.Fatal(err)
	}
	got = nil
	d.Run(t.Context(), []setup.Client{*c})
	if s := states(got); s["clients"] != setup.Failure || s["server"] != setup.Warning {
		t.Errorf("nothing registered: got %+v", got)
	}
}

// The plugins have the shape that their clients read.
func TestPluginFiles(t *testing.T) {
	t.Parallel()
	files, err := setup.PluginFiles("1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	text := make(map[string]string)
	for _, f := range files {
		text[f.Path] = f.Text
	}
	var marketplace struct {
		Name    string
		Owner   struct{ Name string }
		Plugins []struct{ Name, Source string }
	}
	decode(t, text["claude-code/.claude-plugin/marketplace.json"], &marketplace)
	if marketplace.Name == "" || marketplace.Owner.Name == "" || len(marketplace.Plugins) != 1 {
		t.Fatalf("marketplace: got %+v", marketplace)
	}
	dir := "claude-code/" + strings.TrimPrefix(marketplace.Plugins[0].Source, "./") + "/"
	var manifest struct {
		Name, Version, Description, ContextFileName string
		MCPServers                                  map[string]struct {
			Command string
			Args    []string
		}
	}
	decode(t, text[dir+".claude-plugin/plugin.json"], &manifest)
	if manifest.Name != marketplace.Plugins[0].Name || manifest.Version != "1.2.3" || manifest.Description == "" {
		t.Errorf("plugin: got %+v", manifest)
	}
	decode(t, text[dir+".mcp.json"], &manifest)
	if s := manifest.MCPServers["hippo"]; s.Command != "hippo" || len(s.Args) != 1 || s.Args[0] != "serve" {
		t.Errorf(".mcp.json: got %+v", s)
	}
	if !strings.HasPrefix(text[dir+"skills/memory/SKILL.md"], "---\nname: memory\ndescription: ") {
		t.Errorf("skill: got %.80q", text[dir+"skills/memory/SKILL.md"])
	}
	var hooks struct {
		Hooks map[string][]struct {
			Hooks []struct{ Type, Command string }
		}
	}
	for path, count := range map[string]int{dir + "hooks/hooks.json": 9, "gemini/hippo/hooks/hooks.json": 5} {
		hooks.Hooks = nil
		decode(t, text[path], &hooks)
		if len(hooks.Hooks) != count {
			t.Errorf("%s: got %d events, want %d", path, len(hooks.Hooks), count)
		}
		for event, groups := range hooks.Hooks {
			for _, g := range groups {
				if len(g.Hooks) != 1 || g.Hooks[0].Type != "command" || !strings.HasPrefix(g.Hooks[0].Command, "hippo hook ") {
					t.Errorf("%s %s: got %+v", path, event, g)
				}
			}
		}
	}
	decode(t, text["gemini/hippo/gemini-extension.json"], &manifest)
	if _, ok := text["gemini/hippo/"+manifest.ContextFileName]; !ok || manifest.MCPServers["hippo"].Command != "hippo" {
		t.Errorf("extension: got %+v", manifest)
	}
}

func decode(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
}
