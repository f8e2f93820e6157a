package mcpserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// memories returns all memories of the user, without what reading counts.
func (s *session) memories(t *testing.T) []*hippo.Memory {
	t.Helper()
	l, err := memory.List(t.Context(), s.engine.In(hippo.LocalScope("")), api.List{Count: hippo.MaxCount})
	if err != nil {
		t.Fatal(err)
	}
	return l.Memories
}

// inputs returns arguments that fit a schema: only what is required, and all that it knows.
func inputs(t *testing.T, schema json.RawMessage, id string) []object {
	t.Helper()
	var s struct {
		Required   []string
		Properties map[string]struct {
			Type    any
			Enum    []any
			Minimum float64
		}
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	all, required := object{}, object{}
	for name, p := range s.Properties {
		var v any = id
		switch {
		case len(p.Enum) > 0:
			v = p.Enum[0]
		case p.Type == "array":
			v = []string{id}
		case p.Type == "boolean":
			v = true
		case p.Type == "number", p.Type == "integer":
			v = max(p.Minimum, 1)
		case p.Type == "object":
			v = object{}
		case name == "program":
			v = "store('by a program')"
		case strings.Contains(name, "content") && !strings.Contains(name, "hash"):
			v = "written with a token that may only read"
		}
		all[name] = v
		if slices.Contains(s.Required, name) {
			required[name] = v
		}
	}
	return []object{all, required}
}

// TestHTTP_ReaderCannotWrite: no tool of any system, nor a program, changes anything for a token that may only
// read, whatever its arguments; what only reads works.
func TestHTTP_ReaderCannotWrite(t *testing.T) {
	t.Parallel()
	s := newHTTP(t, mcpserver.ToolSystems()...)
	s.hello()
	id := s.record("the gateway needs jitter", .5, "outages")
	before := s.memories(t)
	reader := s.as("reader")
	var r struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(reader.call("tools/list", object{}), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Result.Tools) < 20 {
		t.Errorf("only %d tools are listed", len(r.Result.Tools))
	}
	called, forbidden := map[string]bool{}, 0
	for _, tool := range r.Result.Tools {
		called[tool.Name] = true
		for _, args := range inputs(t, tool.InputSchema, id) {
			if o := reader.tool(tool.Name, args); strings.Contains(o.Text, "[forbidden]") {
				forbidden++
			}
		}
	}
	catalog, err := mcpserver.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range catalog { // those that only answer
		if !called[c.Name] {
			reader.tool(c.Name, object{"content": "written", "query": "gateway", "content_hash": id, "id": id})
		}
	}
	ignore := cmpopts.IgnoreFields(hippo.Memory{}, "Accesses", "Revision") // a search counts the use of what it finds
	if d := cmp.Diff(before, s.memories(t), ignore); d != "" || forbidden < 10 {
		t.Errorf("%d calls were forbidden, and the memories changed (-want +got):\n%s", forbidden, d)
	}
	for name, args := range map[string]object{
		"hippo_record_insight": {"content": "x"}, "hippo_modify_insight": {"uuid": id, "content": "x"}, "hippo_forget": {"uuids": []string{id}},
		"hippo_reinforce_insight": {"upvotes": []string{id}}, "memory_store": {"content": "x"}, "memory_delete": {"content_hash": id},
		"hippo_run": {"program": "store('x')"},
	} {
		if o := reader.tool(name, args); !o.IsError || !strings.Contains(o.Text, "right") && !strings.Contains(o.Text, "forbidden") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	for name, args := range map[string]object{
		"hippo_search_insights": {"query": "gateway jitter"}, "hippo_get": {"ids": []string{id}}, "hippo_run": {"program": "[m.content for m in search('gateway')]"},
		"retrieve_memory": {"query": "gateway jitter"},
	} {
		if o := reader.tool(name, args); o.IsError || !strings.Contains(o.Text, "jitter") {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// TestHTTP_OtherNamespace: a token of another namespace sees, counts and changes nothing of this one.
func TestHTTP_OtherNamespace(t *testing.T) {
	t.Parallel()
	s := newHTTP(t)
	s.hello()
	id := s.record("the gateway needs jitter", .5, "outages")
	before := s.memories(t)
	tenant := s.as("tenant")
	for name, args := range map[string]object{
		"hippo_search_insights": {"query": "gateway jitter"}, "hippo_get": {"ids": []string{id}}, "hippo_context": {"prompt": "gateway jitter"},
		"hippo_status": {}, "hippo_modify_insight": {"uuid": id, "content": "x"}, "hippo_forget": {"uuids": []string{id}},
		"hippo_reinforce_insight": {"upvotes": []string{id}}, "hippo_run": {"program": "[m.content for m in search('gateway')]"},
		"retrieve_memory": {"query": "gateway jitter"}, "memory_list": {}, "memory_delete": {"content_hash": id},
	} {
		if o := tenant.tool(name, args); strings.Contains(o.Text, "needs jitter") || strings.Contains(o.Text, "1 insight") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if o := tenant.tool("hippo_status", object{}); !strings.HasPrefix(o.Text, "0 insights") {
		t.Errorf("status is %s", o.Text)
	}
	if d := cmp.Diff(before, s.memories(t)); d != "" {
		t.Errorf("the memories changed (-want +got):\n%s", d)
	}
}

// TestHTTP_SessionOfAnotherToken: a session does not exist for other tokens, whose requests leave it as it is.
func TestHTTP_SessionOfAnotherToken(t *testing.T) {
	t.Parallel()
	s := newHTTP(t)
	s.hello()
	for _, caller := range []string{"other", "reader", "nobody"} {
		thief := *s.http
		thief.caller = caller
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			status, body := thief.do(t, thief.request(t, method, `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			if status != http.StatusNotFound || !strings.Contains(body, "session not found") {
				t.Errorf("%s by %s: %d %s", method, caller, status, body)
			}
		}
	}
	s.must("hippo_status", object{}, nil)
	if status, body := s.http.do(t, s.http.request(t, http.MethodDelete, "")); status != http.StatusNoContent {
		t.Errorf("its owner ends it: %d %s", status, body)
	}
	if status, _ := s.http.do(t, s.http.request(t, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)); status != http.StatusNotFound {
		t.Errorf("after its end: %d", status)
	}
}

// TestHTTP_RecordsCarryTheirSession: the turns of a session are numbered, those of another one by themselves, and
// requests without a session have no number.
func TestHTTP_RecordsCarryTheirSession(t *testing.T) {
	t.Parallel()
	s := newHTTP(t)
	s.hello()
	second := s.as("user")
	stateless := &session{t: t, http: &httpClient{url: s.http.url, client: s.http.client, caller: "user"}}
	for _, turn := range []struct {
		by      *session
		content string
	}{{s, "one"}, {second, "other"}, {s, "two"}, {stateless, "none"}} {
		turn.by.must("hippo_record_insight", object{"content": turn.content, "situation": []string{}}, nil)
	}
	got := map[string]hippo.Source{}
	for _, m := range s.memories(t) {
		got[m.Content] = m.Source
	}
	one, two, other := got["one"], got["two"], got["other"]
	if one.Session == "" || one.Session != two.Session || one.Seq != 1 || two.Seq != 2 {
		t.Errorf("one session: %+v, %+v", one, two)
	}
	if other.Session == "" || other.Session == one.Session || other.Seq != 1 {
		t.Errorf("another session: %+v", other)
	}
	if none := got["none"]; none.Session != "" || none.Seq != 0 || len(got) != 4 {
		t.Errorf("no session: %+v of %d", none, len(got))
	}
	if strings.Contains(one.Session, s.http.id) {
		t.Error("the records name the session ID, which is a secret of the client")
	}
}

// TestHTTP_StoreFails: a store that does not open is an error of the call, as over stdio.
func TestHTTP_StoreFails(t *testing.T) {
	t.Parallel()
	s := newHTTP(t)
	routes := mcpserver.Routes(func(context.Context) (*engine.Engine, error) { return nil, hippo.ErrUnavailable }, nil)
	s.http = serveHTTP(t, mount(routes))
	s.hello()
	if o := s.tool("hippo_status", object{}); !o.IsError || !strings.Contains(o.Text, "[unavailable]") {
		t.Errorf("got %+v", o)
	}
}
