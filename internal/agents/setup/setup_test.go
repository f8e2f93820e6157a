package setup_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hippo-memory/hippo/internal/agents/setup"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// machine is a scratch machine with a user.
type machine struct {
	*setup.Host
	root string
}

// newMachine returns a machine with the files of an archive; "" has none.
func newMachine(t *testing.T, archive string) *machine {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{root: root, Host: &setup.Host{
		Home: filepath.Join(root, "home"), Dir: filepath.Join(root, "project"), GOOS: "linux",
		Env:         func(string) string { return "" },
		FindProgram: func(string) (string, error) { return "", fs.ErrNotExist },
	}}
	for _, dir := range []string{m.Home, m.Dir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if archive == "" {
		return m
	}
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		m.write(t, f.Name, strings.ReplaceAll(string(f.Data), "$PROJECT", m.Dir))
	}
	return m
}

func (m *machine) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(m.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(m.root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tree returns all files with their modes.
func (m *machine) tree(t *testing.T) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(m.root, path)
		out[filepath.ToSlash(name)] = fmt.Sprintf("%v\n%s", info.Mode(), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// options register a binary with everything.
func (m *machine) options(scope setup.Scope) *setup.Options {
	return &setup.Options{
		Scope: scope, Hooks: true, KeepStore: true,
		Command: setup.Command{Binary: "/opt/a b/hippo", Store: "sqlite:" + filepath.Join(m.Home, "memory.db")},
	}
}

// run sets clients up, and returns the plans.
func (m *machine) run(t *testing.T, o *setup.Options, clients ...setup.Client) []setup.Plan {
	t.Helper()
	p := setup.NewPlanner(m.Host, o)
	plans := make([]setup.Plan, 0, len(clients))
	for _, c := range clients {
		plan := p.Plan(&c)
		if plan.Err != nil {
			t.Fatalf("%s: %v", c.Name, plan.Err)
		}
		for _, change := range plan.Changes {
			if err := change.Write(); err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
		}
		plans = append(plans, plan)
	}
	return plans
}

// remove takes everything back.
func (m *machine) remove(t *testing.T, o *setup.Options, clients ...setup.Client) {
	t.Helper()
	back := *o
	back.Remove = true
	m.run(t, &back, clients...)
}

// Each client in each scope, with files of the user and without: what setup writes, that a
// second run changes nothing, and that removing gives back every byte.
func TestClients(t *testing.T) {
	t.Parallel()
	for _, c := range setup.Clients() {
		for _, scope := range setup.Scopes() {
			for _, archive := range []string{"", "testdata/before.txtar"} {
				name := fmt.Sprintf("%s-%s-%s", c.Name, scope, map[bool]string{true: "new", false: "old"}[archive == ""])
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					m := newMachine(t, archive)
					if plan := setup.NewPlanner(m.Host, m.options(scope)).Plan(&c); plan.Err != nil {
						if !strings.Contains(plan.Err.Error(), "has no scope "+string(scope)) || scope == setup.User {
							t.Fatal(plan.Err)
						}
						return
					}
					before := m.tree(t)
					plans := m.run(t, m.options(scope), c)
					golden(t, filepath.Join("testdata", "golden", name+".txtar"), m.changed(t, before, plans[0].Notes))
					if again := m.run(t, m.options(scope), c); !again[0].Same() {
						t.Error("a second run changes something")
					}
					m.remove(t, m.options(scope), c)
					if diff := cmp.Diff(before, m.tree(t)); diff != "" {
						t.Errorf("after removing (-want +got):\n%s", diff)
					}
				})
			}
		}
	}
}

// changed returns the files that are not as before, but for the text of the guidance.
func (m *machine) changed(t *testing.T, before map[string]string, notes []string) []byte {
	t.Helper()
	a := &txtar.Archive{Comment: []byte(strings.Join(notes, "\n") + "\n")}
	tree := m.tree(t)
	for _, name := range slices.Sorted(mapKeys(tree)) {
		_, text, _ := strings.Cut(tree[name], "\n")
		if tree[name] == before[name] || strings.HasSuffix(name, ".hippo-backup") {
			continue
		}
		guidance := strings.TrimSpace(setup.Guidance())
		quoted, _ := json.Marshal(guidance)
		text = strings.NewReplacer(guidance, "(guidance)", strings.Trim(string(quoted), `"`), "(guidance)", m.root, "$ROOT").Replace(text)
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	return txtar.Format(a)
}

func mapKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// All clients together, some of which share files, in one run.
func TestAll(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "testdata/before.txtar")
	before := m.tree(t)
	for _, scope := range setup.Scopes() {
		var some []setup.Client
		for _, c := range setup.Clients() {
			if setup.NewPlanner(m.Host, m.options(scope)).Plan(&c).Err == nil {
				some = append(some, c)
			}
		}
		m.run(t, m.options(scope), some...)
		for _, plan := range m.run(t, m.options(scope), some...) {
			if !plan.Same() {
				t.Errorf("%s %s: a second run changes something", plan.Client.Name, scope)
			}
		}
	}
	for _, scope := range slices.Backward(setup.Scopes()) {
		for _, c := range setup.Clients() {
			o := m.options(scope)
			o.Remove = true
			plan := setup.NewPlanner(m.Host, o).Plan(&c)
			for _, change := range plan.Changes {
				if err := change.Write(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if diff := cmp.Diff(before, m.tree(t)); diff != "" {
		t.Errorf("after removing (-want +got):\n%s", diff)
	}
}

// The guidance has every step of the ritual and stays short: each session of a client carries it.
func TestGuidance(t *testing.T) {
	t.Parallel()
	text := setup.Guidance()
	for _, want := range []string{
		"## Search (`hippo_search_insights`)", "## Record (`hippo_record_insight`)", "moments of consolidation", "Do not worry about categories", "`supersedes`",
		"## Refine (`hippo_modify_insight`)", "`add_situation`", "## Vote (`hippo_reinforce_insight`)", "suggest votes, each with its reason", "the user confirms",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the guidance lacks %q", want)
		}
	}
	if len(text) > 2500 {
		t.Errorf("the guidance has %d bytes", len(text))
	}
}

// Where the files of a user are on each system.
func TestPaths(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for _, system := range []string{"linux", "darwin", "windows"} {
		m := newMachine(t, "")
		m.GOOS = system
		if system == "windows" {
			m.write(t, "home/AppData/Local/Packages/Claude_x1/LocalCache/Roaming/Claude/config.json", "{}")
		}
		for _, c := range setup.Clients() {
			for _, change := range setup.NewPlanner(m.Host, m.options(setup.User)).Plan(&c).Changes {
				name, _ := filepath.Rel(m.root, change.Path)
				fmt.Fprintf(&b, "%s %s %s\n", system, c.Name, filepath.ToSlash(name))
			}
		}
	}
	golden(t, filepath.Join("testdata", "golden", "paths.txt"), b.Bytes())
}

// An entry keeps its store, what the user added to it, and what else is in the file.
func TestPlan_KeepsStore(t *testing.T) {
	t.Parallel()
	c, _ := setup.Find("claude")
	for entry, store := range map[string]string{
		`{"command": "hippo-server", "args": ["--memory-dir", "~/.hippo"], "timeout": 9}`:                "dir:~/.hippo",
		`{"command": "hippo-server", "args": ["--memory-dir=~/.hippo"], "timeout": 9}`:                   "dir:~/.hippo",
		`{"command": "hippo", "args": ["serve"], "env": {"HIPPO_MEMORY_DIR": "~/.hippo"}, "timeout": 9}`: "dir:~/.hippo",
		`{"command": "hippo", "args": ["serve", "--store", "dir:~/.hippo"], "timeout": 9}`:               "dir:~/.hippo",
		`{"command": "hippo", "args": ["serve", "--db", "~/memory.db"], "timeout": 9}`:                   "shared:~/memory.db",
		`{"command": "hippo", "args": ["serve"], "env": {"HIPPO_DB_PATH": "~/memory.db"}, "timeout": 9}`: "shared:~/memory.db",
	} {
		m := newMachine(t, "")
		text := `{"mcpServers": {"hippo": ` + entry + `}}`
		m.write(t, "home/.claude.json", text)
		before := m.tree(t)
		m.run(t, m.options(setup.User), *c)
		got := m.read(t, "home/.claude.json")
		if !strings.Contains(got, `["serve","--store","`+store+`"]`) && !strings.Contains(got, `["serve", "--store", "`+store+`"]`) || !strings.Contains(got, `"timeout": 9`) {
			t.Errorf("%s: got %s", entry, got)
		}
		if hooks := m.read(t, "home/.claude/settings.json"); !strings.Contains(hooks, "--store '"+store+"'") {
			t.Errorf("hooks have another store: %s", hooks)
		}
		o := m.options(setup.User)
		m.remove(t, o, *c)
		if diff := cmp.Diff(before, m.tree(t)); diff != "" {
			t.Errorf("after removing (-want +got):\n%s", diff)
		}
		o.KeepStore = false
		m.run(t, o, *c)
		if got := m.read(t, "home/.claude.json"); !strings.Contains(got, "memory.db") {
			t.Errorf("a given store: got %s", got)
		}
	}
}

// Another binary or store updates what is there; the backup stays that of the time before.
func TestPlan_Updates(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "testdata/before.txtar")
	before := m.tree(t)
	m.run(t, m.options(setup.User), setup.Clients()...)
	o := m.options(setup.User)
	o.Command, o.KeepStore = setup.Command{Binary: "/new/hippo", Store: "dir:/new"}, false
	m.run(t, o, setup.Clients()...)
	for name, text := range m.tree(t) {
		if strings.Contains(text, "/opt/a b/hippo") {
			t.Errorf("%s still names the former binary", name)
		}
	}
	o.Hooks = false // what was registered goes all the same
	m.remove(t, o, setup.Clients()...)
	if diff := cmp.Diff(before, m.tree(t)); diff != "" {
		t.Errorf("after removing (-want +got):\n%s", diff)
	}
}

// Scopes that share a file are taken back in any order, also by another binary.
func TestRemove_Scopes(t *testing.T) {
	t.Parallel()
	c, _ := setup.Find("claude")
	for _, archive := range []string{"", "testdata/before.txtar"} {
		for _, order := range [][]setup.Scope{{setup.User, setup.Local}, {setup.Local, setup.User}} {
			m := newMachine(t, archive)
			m.write(t, "home/.claude.json", `{"projects": {"`+m.Dir+`": {"mcpServers": {}, "allowedTools": []}}}`)
			before := m.tree(t)
			m.run(t, m.options(setup.User), *c)
			m.run(t, m.options(setup.Local), *c)
			for i, scope := range order {
				m.remove(t, m.options(scope), *c)
				if i == 0 && !strings.Contains(m.read(t, "home/.claude.json"), `"hippo"`) {
					t.Errorf("%v: removing the first one removed the second", order)
				}
			}
			if diff := cmp.Diff(before, m.tree(t)); diff != "" {
				t.Errorf("%v after removing (-want +got):\n%s", order, diff)
			}
		}
	}
}

// Another binary, such as a newer one in another folder, takes back what the first one wrote.
func TestRemove_AnotherBinary(t *testing.T) {
	t.Parallel()
	for _, archive := range []string{"", "testdata/before.txtar"} {
		m := newMachine(t, archive)
		before := m.tree(t)
		m.run(t, m.options(setup.User), setup.Clients()...)
		o := m.options(setup.User)
		o.Command = setup.Command{Binary: "/new/hippo", Store: "dir:/new"}
		m.remove(t, o, setup.Clients()...)
		if diff := cmp.Diff(before, m.tree(t)); diff != "" {
			t.Errorf("after removing (-want +got):\n%s", diff)
		}
	}
}

// Without hooks, those of a former setup go, and nothing else.
func TestPlan_DropsHooks(t *testing.T) {
	t.Parallel()
	for _, scope := range setup.Scopes() {
		for _, c := range setup.Clients() {
			if !c.Has(scope) {
				continue
			}
			t.Run(c.Name+"-"+string(scope), func(t *testing.T) {
				t.Parallel()
				m, never := newMachine(t, "testdata/before.txtar"), newMachine(t, "testdata/before.txtar")
				before := m.tree(t)
				o, none := m.options(scope), never.options(scope)
				m.run(t, o, c)
				o.Hooks, none.Hooks = false, false
				m.run(t, o, c)
				never.run(t, none, c)
				want := never.tree(t)
				for name, text := range m.tree(t) {
					if diff := cmp.Diff(want[name], strings.ReplaceAll(text, m.root, never.root)); diff != "" {
						t.Errorf("%s is not as without hooks (-want +got):\n%s", name, diff)
					}
				}
				if again := m.run(t, o, c); !again[0].Same() {
					t.Error("a second run changes something")
				}
				m.remove(t, o, c)
				if diff := cmp.Diff(before, m.tree(t)); diff != "" {
					t.Errorf("after removing (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// A file of another user is left alone.
func TestPlan_OtherOwner(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "")
	m.write(t, "home/.cursor/mcp.json", "{}")
	before := m.tree(t)
	m.OtherOwner = func(info fs.FileInfo) string {
		if info.Name() == "mcp.json" {
			return "1234"
		}
		return ""
	}
	c, _ := setup.Find("cursor")
	plan := setup.NewPlanner(m.Host, m.options(setup.User)).Plan(c)
	if plan.Err == nil || !strings.Contains(plan.Err.Error(), "mcp.json belongs to another user (1234)") || len(plan.Changes) > 0 {
		t.Errorf("got %v and %d changes", plan.Err, len(plan.Changes))
	}
	if diff := cmp.Diff(before, m.tree(t)); diff != "" {
		t.Error(diff)
	}
}

// What the user changed after the setup stays.
func TestRemove_AfterEdits(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "testdata/before.txtar")
	m.run(t, m.options(setup.User), setup.Clients()...)
	for _, edit := range []struct{ name, old, replacement string }{
		{"home/.claude.json", `"userID": "é"`, `"userID": "x"`},
		{"home/.claude/settings.json", `"opus"`, `"haiku"`},
		{"home/.claude/CLAUDE.md", "# Mine", "# Ours"},
		{"home/.codex/config.toml", `"gpt"`, `"gpt-2"`},
		{"home/.config/Code/User/mcp.json", "// why", "// because"},
		{"home/.gemini/settings.json", `"dark"`, `"light"`},
	} {
		text := m.read(t, edit.name)
		if !strings.Contains(text, edit.old) {
			t.Fatalf("%s: no %s in %s", edit.name, edit.old, text)
		}
		m.write(t, edit.name, strings.Replace(text, edit.old, edit.replacement, 1))
	}
	want := newMachine(t, "testdata/before.txtar")
	for _, edit := range [][3]string{
		{"home/.claude/settings.json", `"opus"`, `"haiku"`},
		{"home/.claude/CLAUDE.md", "# Mine", "# Ours"},
		{"home/.codex/config.toml", `"gpt"`, `"gpt-2"`},
		{"home/.config/Code/User/mcp.json", "// why", "// because"},
		{"home/.gemini/settings.json", `"dark"`, `"light"`},
	} {
		want.write(t, edit[0], strings.Replace(want.read(t, edit[0]), edit[1], edit[2], 1))
	}
	want.write(t, "home/.claude.json", strings.Replace(strings.ReplaceAll(want.read(t, "home/.claude.json"), want.Dir, m.Dir), `"é"`, `"x"`, 1))
	m.remove(t, m.options(setup.User), setup.Clients()...)
	if diff := cmp.Diff(want.tree(t), m.tree(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Files that cannot be edited safely: an error for the client, and nothing changes.
func TestPlan_Refuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		client, name, text, want string
		prepare                  func(path string) error
	}{
		{client: "cursor", name: "home/.cursor/mcp.json", text: `{"a":`, want: "not valid JSON"},
		{client: "cursor", name: "home/.cursor/mcp.json", text: `{a: 1}`, want: "not valid JSON"},
		{client: "claude", name: "home/.claude/settings.json", text: `{} // x`, want: "comment"},
		{client: "gemini", name: "home/.gemini/settings.json", text: `{"a": 1,}`, want: "line 1 has a trailing comma"},
		{client: "codex", name: "home/.codex/config.toml", text: `a = `, want: "not valid TOML"},
		{client: "zed", name: "home/.config/zed/settings.json", text: `[]`, want: "not a JSON object"},
		{client: "cursor", name: "home/.cursor/mcp.json", text: `{}`, want: "read-only", prepare: func(path string) error { return os.Chmod(path, 0o400) }},
		{client: "cursor", name: "home/.cursor/mcp.json", text: `{}`, want: "link to", prepare: func(path string) error {
			return errorsJoin(os.Remove(path), os.Symlink("nowhere.json", path))
		}},
		{client: "cursor", name: "home/.cursor/mcp.json", text: `{}`, want: "not a regular file", prepare: func(path string) error {
			return errorsJoin(os.Remove(path), os.Mkdir(path, 0o700))
		}},
	} {
		m := newMachine(t, "")
		m.write(t, tc.name, tc.text)
		if tc.prepare != nil {
			if err := tc.prepare(filepath.Join(m.root, tc.name)); err != nil {
				t.Fatal(err)
			}
		}
		c, ok := setup.Find(tc.client)
		if !ok {
			t.Fatal(tc.client)
		}
		plan := setup.NewPlanner(m.Host, m.options(setup.User)).Plan(c)
		if plan.Err == nil || !strings.Contains(plan.Err.Error(), tc.want) || !strings.Contains(plan.Err.Error(), filepath.Base(tc.name)) || len(plan.Changes) > 0 {
			t.Errorf("%s %q: got %v, want an error with %q and the file", tc.name, tc.text, plan.Err, tc.want)
		}
	}
}

func errorsJoin(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A link stays a link, and its file keeps its mode.
func TestWrite_Link(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "")
	m.write(t, "dotfiles/mcp.json", "{}")
	m.write(t, "home/.cursor/x", "")
	path := filepath.Join(m.Home, ".cursor", "mcp.json")
	if err := os.Symlink("../../dotfiles/mcp.json", path); err != nil {
		t.Fatal(err)
	}
	before := m.tree(t)
	c, _ := setup.Find("cursor")
	m.run(t, m.options(setup.User), *c)
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("got %v (%v), want a link", info, err)
	}
	if got := m.tree(t)["dotfiles/mcp.json"]; !strings.HasPrefix(got, "-rw-r-----") || !strings.Contains(got, "hippo") {
		t.Errorf("got %s", got)
	}
	m.remove(t, m.options(setup.User), *c)
	if diff := cmp.Diff(before, m.tree(t)); diff != "" {
		t.Errorf("after removing (-want +got):\n%s", diff)
	}
}

// A file that its program rewrites between plan and write keeps what was written.
func TestWrite_Concurrent(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "")
	m.write(t, "home/.claude.json", `{"a": 1}`)
	c, _ := setup.Find("claude")
	plan := setup.NewPlanner(m.Host, m.options(setup.User)).Plan(c)
	m.write(t, "home/.claude.json", `{"a": 2, "b": 3}`)
	if plan.Err != nil {
		t.Fatal(plan.Err)
	}
	if err := plan.Changes[0].Write(); err != nil {
		t.Fatal(err)
	}
	if got := m.read(t, "home/.claude.json"); !strings.HasPrefix(got, `{"a": 2, "b": 3, "mcpServers"`) {
		t.Errorf("got %s", got)
	}
}
