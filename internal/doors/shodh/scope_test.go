package shodh_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/shodh"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// request is one request to an operation, by which a test tries it.
type request struct {
	method, path string
	body         object
}

// requests returns a request that succeeds for each operation, by the pattern of its route.
func requests(id string) map[string]request {
	return map[string]request{
		"POST /api/remember":       {"POST", "/api/remember", object{"content": "a new memory"}},
		"POST /api/recall":         {"POST", "/api/recall", object{"query": "tenant memory", "limit": 100}},
		"POST /api/recall/by-tags": {"POST", "/api/recall/by-tags", object{"tags": []string{"theirs"}}},
		"POST /api/context":        {"POST", "/api/context", object{"context": "tenant memory", "auto_ingest": true}},
		"DELETE /api/forget/{id}":  {"DELETE", "/api/forget/" + id, nil},
		"POST /api/forget/by-tags": {"POST", "/api/forget/by-tags", object{"tags": []string{"theirs"}}},
		"GET /api/memories":        {"GET", "/api/memories?limit=100", nil},
		"GET /api/memories/{id}":   {"GET", "/api/memories/" + id, nil},
		"PATCH /api/memories/{id}": {"PATCH", "/api/memories/" + id, object{"tags": []string{"changed"}}},
		"POST /api/consolidate":    {"POST", "/api/consolidate", object{"time_horizon": "daily"}},
		"GET /api/stats":           {"GET", "/api/stats", nil},
		"GET /api/health":          {"GET", "/api/health", nil},
		"GET /api/tags":            {"GET", "/api/tags", nil},
		"GET /api/clusters":        {"GET", "/api/clusters", nil},
	}
}

// TestRights: each operation is refused without the rights of its route, whoever serves it, and nothing is changed.
func TestRights(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.remember(object{"content": "the tenant memory", "tags": []string{"theirs"}})
	state := func() any { // without the use, which reading counts
		all := s.must(200, "GET", "/api/memories", nil).get()
		list, _ := all.(map[string]any)["memories"].([]any)
		for i := range list {
			list[i] = without(list[i], "access_count", "last_accessed")
		}
		return all
	}
	before := state()
	reads := map[string]bool{
		"POST /api/recall": true, "POST /api/recall/by-tags": true, "POST /api/context": true, "GET /api/memories": true, "GET /api/memories/{id}": true,
		"GET /api/stats": true, "GET /api/tags": true, "GET /api/clusters": true,
	}
	routes := shodh.Routes(nil, nil)
	for _, r := range routes {
		q, ok := requests(id)[r.Pattern]
		if !ok {
			t.Fatalf("%s is not tried", r.Pattern)
		}
		if q.path == "/api/health" {
			if r.Rights != 0 {
				t.Errorf("%s asks for rights", r.Pattern)
			}
			continue
		}
		if needsWrite := r.Rights&hippo.RightWrite != 0; needsWrite == reads[r.Pattern] {
			t.Errorf("%s needs the right to write: %v", r.Pattern, needsWrite)
		}
		for name, rights := range map[string]hippo.Rights{
			"none": 0, "other": hippo.RightPurge | hippo.RightAdmin, "without_one": hippo.AllRights &^ r.Rights, "read": hippo.RightRead,
		} {
			if a := s.as(hippo.Scope{Rights: rights}, q.method, q.path, q.body); a.status != http.StatusForbidden && (name != "read" || !reads[r.Pattern] || q.path == "/api/context") {
				t.Errorf("%s with %s: got %d %s, want 403", r.Pattern, name, a.status, a.body)
			}
		}
		if r.Rights == hippo.RightRead && q.path != "/api/context" {
			if a := s.as(hippo.Scope{Rights: hippo.RightRead}, q.method, q.path, q.body); a.status != 200 {
				t.Errorf("%s with the right to read: got %d %s", r.Pattern, a.status, a.body)
			}
		}
	}
	if d := cmp.Diff(before, state()); d != "" {
		t.Errorf("something was changed: -before +after\n%s", d)
	}
	r, _ := newRequest(t, "GET", "/api/stats", nil)
	if a := recorded(s.mux, r); a.status != http.StatusForbidden {
		t.Errorf("a request of nobody: got %d %s", a.status, a.body)
	}
}

// TestContext_ReadOnly: who may only read is reminded, and nothing is ingested.
func TestContext_ReadOnly(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.remember(object{"content": "The staging database listens on port 5432"})
	reader := hippo.Scope{Rights: hippo.RightRead}
	for _, body := range []object{{"context": "staging database port"}, {"context": "staging database port", "auto_ingest": false}} {
		a := s.as(reader, "POST", "/api/context", body)
		if a.status != 200 || a.count("count") != 1 || a.get("ingested") != false || a.get("ingested_id") != nil {
			t.Errorf("%v: got %d %s", body, a.status, a.body)
		}
	}
	if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 1 {
		t.Errorf("there are %d memories, want 1", got)
	}
}

// TestNamespaces: the memories of a tenant are not seen, counted, changed or guessed by another one, through any
// operation.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := hippo.Scope{Namespace: "a", Rights: hippo.AllRights}, hippo.Scope{Namespace: "b", Rights: hippo.AllRights}
	id := s.as(a, "POST", "/api/remember", object{"content": "the tenant memory", "tags": []string{"theirs"}, "type": "Search", "episode_id": "e1"}).text("id")
	before := s.as(a, "GET", "/api/memories/"+id, nil).get()
	empty := start(t)
	for pattern, q := range requests(id) {
		if pattern == "POST /api/remember" || pattern == "POST /api/context" {
			continue // their answers have new IDs
		}
		got, want := s.as(b, q.method, q.path, q.body), empty.as(b, q.method, q.path, q.body)
		if got.status != want.status || string(got.body) != string(want.body) {
			t.Errorf("%s: got %d %s, want what an empty store answers: %d %s", pattern, got.status, got.body, want.status, want.body)
		}
	}
	hash := hashOf("the tenant memory")
	for _, ref := range []string{id[:8], id[len(id)-8:], hash, hash[:8]} {
		for _, c := range [][2]string{{"GET", "/api/memories/"}, {"PATCH", "/api/memories/"}, {"DELETE", "/api/forget/"}} {
			if got := s.as(b, c[0], c[1]+ref, object{}); got.status != 404 || strings.Contains(string(got.body), "tenant") {
				t.Errorf("%s %s: got %d %s, want 404", c[0], ref, got.status, got.body)
			}
		}
	}
	if got := s.as(b, "GET", "/api/memories?type=Search", nil); got.count("total") != 0 {
		t.Errorf("a type of another tenant: got %s", got.body)
	}
	// The same text is no duplicate for another tenant.
	if got := s.as(b, "POST", "/api/context", object{"context": "the tenant memory"}); got.get("ingested") != true || got.count("count") != 0 {
		t.Errorf("got %s", got.body)
	}
	if got := s.as(b, "POST", "/api/forget/by-tags", object{"tags": []string{"theirs"}}); got.count("deleted_count") != 0 {
		t.Errorf("got %s", got.body)
	}
	if d := cmp.Diff(before, s.as(a, "GET", "/api/memories/"+id, nil).get()); d != "" {
		t.Errorf("another tenant changed it: -before +after\n%s", d)
	}
}

// TestProjects: a caller who may use one project neither sees nor changes those of another, and writes into its own.
func TestProjects(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := hippo.Scope{Projects: []string{"p"}, Project: "p", Rights: hippo.AllRights}
	q := hippo.Scope{Projects: []string{"q"}, Project: "q", Rights: hippo.AllRights}
	id := s.as(p, "POST", "/api/remember", object{"content": "a memory of p", "tags": []string{"x"}}).text("id")
	if got := s.as(p, "POST", "/api/remember", object{"content": "A memory of P"}); got.status != 409 {
		t.Errorf("the same text in the project: got %d %s", got.status, got.body)
	}
	if got := s.as(q, "GET", "/api/memories/"+id, nil); got.status != 404 {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if got := s.as(q, "POST", "/api/remember", object{"content": "A memory of P"}); got.status != 201 {
		t.Errorf("the same text in another project: got %d %s", got.status, got.body)
	}
	if got := s.as(q, "GET", "/api/stats", nil).count("total_memories"); got != 1 {
		t.Errorf("q counts %d memories, want 1", got)
	}
	lost := hippo.Scope{Projects: []string{"q"}, Project: "p", Rights: hippo.AllRights}
	if got := s.as(lost, "POST", "/api/remember", object{"content": "nowhere"}); got.status != 400 || got.text("details", "field") != "project" {
		t.Errorf("a project outside of the scope: got %d %s", got.status, got.body)
	}
}

// TestCaller: the scope is that of the caller in the context, whatever a request says.
func TestCaller(t *testing.T) {
	t.Parallel()
	s := start(t)
	reader := hippo.Scope{Rights: hippo.RightRead}
	r, _ := newRequest(t, "POST", "/api/remember", object{"content": "x", "namespace": "other", "user_id": "root"})
	r.Header.Set("X-Rights", "all")
	r = r.WithContext(httpd.WithCaller(r.Context(), httpd.Caller{Name: "reader", Scope: reader}))
	if a := recorded(s.mux, r); a.status != 403 {
		t.Errorf("got %d %s", a.status, a.body)
	}
	id := s.remember(object{"content": "x", "namespace": "other"}) // an unknown member: metadata
	if a := s.must(200, "GET", "/api/memories/"+id, nil); a.text("metadata", "namespace") != "other" {
		t.Errorf("got %s", a.body)
	}
}
