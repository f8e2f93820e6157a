package mcpserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// knownCallers are callers by the texts of their tokens.
type knownCallers map[string]httpd.Caller

func (c knownCallers) Authenticate(text string) (httpd.Caller, bool) {
	caller, ok := c[text]
	return caller, ok
}

// TestHTTP_InsufficientScope: with an issuer, the call of a tool that a token can never use is 403 and names the scope to
// ask for; no tool that works for a reader is refused so. Without an issuer the tool says it, to the model.
func TestHTTP_InsufficientScope(t *testing.T) {
	t.Parallel()
	s := newHTTP(t, mcpserver.ToolSystems()...)
	s.hello()
	id := s.record("the gateway needs jitter", .5, "outages")
	routes := mcpserver.Routes(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, &mcpserver.Options{Tools: mcpserver.ToolSystems(), Now: s.clock.now})
	const metadata = "https://memory.example.org/.well-known/oauth-protected-resource"
	status := func(issuer, token, name string, arguments any) (code int, challenge string, failed bool) {
		w := &httpClient{client: http.DefaultClient}
		w.url = serveHTTP(t, httpd.New(routes, httpd.Options{Tokens: knownCallers(callers()), Metadata: issuer})).url
		body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": object{"name": name, "arguments": arguments}})
		if err != nil {
			t.Fatal(err)
		}
		r := w.request(t, http.MethodPost, string(body))
		r.Header.Set("Authorization", "Bearer "+token)
		code, answer := w.do(t, r)
		if code == http.StatusForbidden && !strings.Contains(answer, `"id":7,"error"`) {
			t.Errorf("%s: the answer is %s", name, answer)
		}
		return code, w.last.Header.Get("WWW-Authenticate"), strings.Contains(answer, `"isError":true`) || strings.Contains(answer, `"error"`)
	}
	var r struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(s.as("reader").call("tools/list", object{}), &r); err != nil {
		t.Fatal(err)
	}
	refused := map[string]bool{}
	for _, tool := range r.Result.Tools {
		for _, arguments := range inputs(t, tool.InputSchema, id) {
			code, challenge, _ := status(metadata, "reader", tool.Name, arguments)
			refused[tool.Name] = code == http.StatusForbidden
			if want := `Bearer realm="hippo", error="insufficient_scope", scope="write", resource_metadata="` + metadata + `"`; refused[tool.Name] && challenge != want {
				t.Errorf("%s: the challenge is %s", tool.Name, challenge)
			}
			code, challenge, failed := status("", "reader", tool.Name, arguments)
			if code != http.StatusOK || challenge != "" || refused[tool.Name] && !failed {
				t.Errorf("%s without an issuer: %d %s, failed is %v", tool.Name, code, challenge, failed)
			}
		}
	}
	for _, name := range []string{"hippo_record_insight", "hippo_modify_insight", "hippo_reinforce_insight", "hippo_forget", "memory_store", "memory_update", "mistake_note_add"} {
		if !refused[name] {
			t.Errorf("%s is not refused", name)
		}
	}
	for _, name := range []string{"hippo_get", "hippo_search_insights", "hippo_run", "hippo_context", "memory_search", "hippo_relate", "hippo_graph"} {
		if answered, listed := refused[name]; answered || !listed {
			t.Errorf("%s: refused is %v, listed %v", name, answered, listed)
		}
	}
	for _, arguments := range []object{{"action": "list", "from": id}, {"action": "declare", "from": id, "kind": "uses", "to": id}} {
		code, _, failed := status(metadata, "reader", "hippo_relate", arguments)
		if want := arguments["action"] != "list"; code != http.StatusOK || failed != want {
			t.Errorf("a reader's %v: %d, failed is %v", arguments, code, failed)
		}
	}
	if code, _, failed := status(metadata, "user", "hippo_record_insight", object{"content": "x", "situation": []string{}}); code != http.StatusOK || failed {
		t.Errorf("with the right to write: %d, failed is %v", code, failed)
	}
}
