package cli_test

import (
	"strings"
	"testing"
)

// Forgetting what supersedes a memory gives it back at the shell: in the list, in search and in the context.
func TestForget_Successor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := environ(dir)
	cmd := func(args ...string) string {
		t.Helper()
		return string(runIn(t, dir, env, append(args, "--store", "sqlite:"+dir+"/memory.db")...))
	}
	old := strings.Fields(cmd("record", "The gateway listens on port 80."))[2]
	now := strings.TrimRight(strings.Fields(cmd("record", "The gateway listens on port 8080.", "--supersedes", old))[2], ",.")
	marked := func(want bool) {
		t.Helper()
		for _, args := range [][]string{{"search", "gateway port"}, {"list"}, {"get", old}} {
			if out := cmd(args...); strings.Contains(out, "superseded by") != want {
				t.Errorf("%v:\n%s", args, out)
			}
		}
		if out := cmd("context", "which port does the gateway use"); strings.Contains(out, "port 80.") == want {
			t.Errorf("context:\n%s", out)
		}
	}
	marked(true)
	cmd("forget", now)
	marked(false)
	cmd("restore", now)
	marked(true)
	cmd("forget", "--purge", "--yes", now)
	marked(false)
}
