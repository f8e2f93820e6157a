package setup_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/agents/setup"
)

// Several programs are called hippo: an entry that starts another one is named, and left alone if nobody agrees; ours are
// updated without a question, whoever wrote them.
func TestPlan_Replaces(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		`{"command": "npx", "args": ["-y", "hippo-memory", "mcp"]}`:                "which starts npx -y hippo-memory mcp",
		`{"command": "hippo", "args": ["mcp"]}`:                                    "which starts hippo mcp",
		`{"command": "/usr/lib/node_modules/.bin/hippo", "args": ["mcp"]}`:         "which starts /usr/lib/node_modules/.bin/hippo mcp",
		`{"command": "uvx", "args": ["hippo"]}`:                                    "which starts uvx hippo",
		`{"command": "python", "args": ["-m", "hippo", "serve"]}`:                  "which starts python -m hippo serve",
		`{"url": "https://example.com/mcp"}`:                                       "which starts no program on this machine",
		`"text"`:                                                                   "which starts no program on this machine",
		`{"command": "hippo-server", "args": ["--memory-dir", "~/.hippo"]}`:        "",
		`{"command": "hippo", "args": ["serve", "--tools", "hippo"]}`:              "",
		`{"command": "hippo", "args": ["--memory-dir=~/.hippo"]}`:                  "",
		`{"command": "hippo"}`:                                                     "",
		`{"command": "C:\\Tools\\Hippo.exe", "args": ["serve"]}`:                   "",
		`{"command": "/other/place/hippo", "args": ["serve", "--db", "m.db"]}`:     "",
		`{"command": "/opt/memory-1.2", "args": ["serve", "--store", "sqlite:x"]}`: "",
		`{"command": "/opt/a b/hippo", "args": ["mcp"]}`:                           "",
	} {
		for name, file := range map[string]string{"cursor": "home/.cursor/mcp.json", "claude": "home/.claude.json", "gemini": "home/.gemini/settings.json"} {
			m := newMachine(t, "")
			m.write(t, file, `{"mcpServers": {"hippo": `+entry+`}}`)
			before := m.tree(t)
			c, _ := setup.Find(name)
			plan := setup.NewPlanner(m.Host, m.options(setup.User)).Plan(c)
			if plan.Replaces != want {
				t.Errorf("%s %s: got %q, want %q", name, entry, plan.Replaces, want)
			}
			if plan.Replaces == "" {
				continue
			}
			plan.Decline()
			if plan.Err == nil || !strings.Contains(plan.Err.Error(), "has another program's entry named hippo") || len(plan.Changes) > 0 {
				t.Errorf("%s %s: declined, got %v and %d changes", name, entry, plan.Err, len(plan.Changes))
			}
			o := m.options(setup.User)
			m.run(t, o, *c)
			if again := setup.NewPlanner(m.Host, o).Plan(c); again.Replaces != "" {
				t.Errorf("%s: our own entry is another program's: %s", name, again.Replaces)
			}
			m.remove(t, o, *c)
			if after := m.tree(t); after[file] != before[file] {
				t.Errorf("%s %s: after removing got %s", name, entry, after[file])
			}
		}
	}
}
