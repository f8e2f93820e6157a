package cli_test

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// TestUnknownProject: a project that the store does not know is refused with those that it does know, at every front end, and one that is
// written otherwise is the known one.
func TestUnknownProject(t *testing.T) {
	t.Parallel()
	f := newFronts(t)
	f.command("record Hinges_need_oil --project new:Shop")
	tools := map[string]func(string, string) (string, bool){
		"hippo": f.calls("hippo"), "memory-service": f.calls("memory-service"), "memory-mcp": f.calls("memory-mcp"),
	}
	for _, c := range [][3]string{
		{"hippo", "hippo_search_insights", `{"query":"hinges","project":"PROJECT"}`},
		{"hippo", "hippo_record_insight", `{"content":"Doors need oil","project":"PROJECT"}`},
		{"hippo", "hippo_context", `{"project":"PROJECT"}`},
		{"hippo", "hippo_run", `{"program":"search('hinges', project='PROJECT')"}`},
		{"hippo", "hippo_run", `{"program":"list_memories(project='PROJECT')"}`},
		{"hippo", "hippo_run", `{"program":"store('Gates need oil', project='PROJECT')"}`},
		{"memory-service", "memory_search", `{"query":"hinges","store":"PROJECT"}`},
		{"memory-service", "memory_list", `{"store":"PROJECT"}`},
		{"memory-service", "memory_store", `{"content":"Locks need oil","store":"PROJECT"}`},
		{"memory-mcp", "search_memory", `{"query":"hinges","namespace":"PROJECT"}`},
		{"memory-mcp", "list_memories", `{"namespace":"PROJECT"}`},
		{"memory-mcp", "store_memory", `{"content":"Keys need oil","namespace":"PROJECT"}`},
	} {
		call := func(project string) (string, bool) {
			return tools[c[0]](c[1], strings.ReplaceAll(c[2], "PROJECT", project))
		}
		if text, failed := call("shed"); !failed || !strings.Contains(text, "Shop") {
			t.Errorf("%v of an unknown project: got %s", c, text)
		}
		if text, failed := call(" sHOP "); failed || strings.Contains(c[2], "hinges") && !strings.Contains(text, "Hinges") {
			t.Errorf("%v of a known project: got %s", c, text)
		}
	}
	for _, c := range [][2]string{
		{"GET /api/v1/memories?project=PROJECT"},
		{"GET /api/v1/audit?project=PROJECT"},
		{"POST /api/v1/search", `{"query":"hinges","project":["PROJECT"]}`},
		{"GET /ui/browse?project=PROJECT"},
		{"GET /ui/timeline?project=PROJECT"},
		{"GET /?q=hinges&project=PROJECT"},
	} {
		call := func(project string) (int, string) {
			return f.ask(strings.ReplaceAll(c[0], "PROJECT", project), strings.ReplaceAll(c[1], "PROJECT", project))
		}
		if status, text := call("shed"); status != http.StatusNotFound || !strings.Contains(text, "known: Shop") {
			t.Errorf("%v of an unknown project: got %d %s", c, status, text)
		}
		if status, text := call("sHOP"); status != http.StatusOK || strings.Contains(c[0]+c[1], "hinges") && !strings.Contains(text, "Hinges") {
			t.Errorf("%v of a known project: got %d %s", c, status, text)
		}
	}
	for _, line := range []string{"search hinges", "list", "record Bolts", "context"} {
		c := exec.CommandContext(t.Context(), "hippo", append([]string{"--store", f.store, "--project", "shed"}, strings.Fields(line)...)...)
		c.Dir, c.Env = f.dir, f.env
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "Shop") {
			t.Errorf("hippo %s of an unknown project: got %s", line, out)
		}
	}
	if text := f.command("project list"); strings.Contains(text, "shed") {
		t.Errorf("a project was made in silence:\n%s", text)
	}
}
