package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTokenOfOneProject: what a token for one project records without naming it is of that project, at every front end, and is found.
func TestTokenOfOneProject(t *testing.T) {
	t.Parallel()
	f := newFronts(t)
	f.command("record Sheds_stand --project new:shed")
	f.token = strings.TrimSpace(f.command("token create one --projects shed"))
	for name, request := range map[string][2]string{
		"MCP":   {"POST /mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hippo_record_insight","arguments":{"content":"Rakes by MCP"}}}`},
		"old":   {"POST /mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_store","arguments":{"content":"Rakes by old"}}}`},
		"run":   {"POST /mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hippo_run","arguments":{"program":"store('Rakes by run')"}}}`},
		"REST":  {"POST /api/v1/memories", `{"content":"Rakes by REST"}`},
		"SHODH": {"POST /api/remember", `{"content":"Rakes by SHODH"}`},
	} {
		if status, text := f.ask(request[0], request[1]); status != http.StatusOK && status != http.StatusCreated || strings.Contains(text, "isError") {
			t.Errorf("%s: %d %s", name, status, text)
		}
		if list := f.command("list --project shed"); !strings.Contains(list, "Rakes by "+name) {
			t.Errorf("%s: not in the project of the token:\n%s", name, list)
		}
	}
	if list := f.web("GET /api/v1/memories?limit=20", ""); strings.Count(list, "Rakes by") != 5 {
		t.Errorf("the token does not see what it recorded: %s", list)
	}
}
