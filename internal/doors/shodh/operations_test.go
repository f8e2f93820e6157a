package shodh_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/doors/shodh"
)

// whole is a request with every field of RememberRequest.
func whole() object {
	return object{
		"content": "The staging server listens on port 8080", "type": "Decision", "tags": []string{"net", "staging"},
		"source_type": "web", "credibility": 0.75, "emotion": "relief", "emotional_valence": -0.5, "emotional_arousal": 0.25,
		"episode_id": "setup-2026", "sequence_number": 2, "metadata": object{"ticket": 7, "nested": object{"a": []any{1.0, "b"}}},
	}
}

// Properties of the document that an answer lacks, with the reason.
func left() map[string]string {
	return map[string]string{
		"embedding":        "vectors are never sent",
		"last_accessed_at": "use is counted by active days",
		"details":          "only where a field is at fault",
	}
}

// TestOperations_AreAll: each operation of the document, and GET /api/clusters, has a route, an answer that conforms to it, and all
// properties that the document has for it but those of left.
func TestOperations_AreAll(t *testing.T) {
	t.Parallel()
	s := start(t)
	var answered []string
	try := func(status int, method, path string, body any) *answer {
		a := s.must(status, method, path, body)
		r, _ := newRequest(t, method, path, body)
		_, pattern := s.mux.Handler(r)
		route, err := s.doc.route(pattern)
		if err != nil {
			t.Fatal(err)
		}
		answered = append(answered, fmt.Sprintf("%s %d", route.Operation.OperationID, status))
		media := route.Operation.Responses.Status(status).Value.Content.Get("application/json")
		s.checkProperties(pattern, media.Schema.Value, a.get())
		return a
	}
	id := try(201, "POST", "/api/remember", whole()).text("id")
	try(400, "POST", "/api/remember", object{"content": " "})
	try(409, "POST", "/api/remember", whole())
	// What a tool said is not surfaced by itself.
	s.remember(object{"content": "The staging database listens on port 5432", "emotion": "joy", "emotional_valence": 1, "emotional_arousal": 0, "episode_id": "e", "sequence_number": 1})
	try(200, "POST", "/api/recall", object{"query": "staging server port", "limit": 5})
	try(200, "POST", "/api/recall/by-tags", object{"tags": []string{"net"}, "limit": 5})
	try(200, "POST", "/api/context", object{"context": "on which port does the staging database listen?", "max_results": 3, "auto_ingest": true})
	try(200, "GET", "/api/memories?limit=5&offset=0&type=Decision", nil)
	try(200, "GET", "/api/memories/"+id, nil)
	try(404, "GET", "/api/memories/01234567-89ab-4cde-8f01-23456789abcd", nil)
	try(200, "PATCH", "/api/memories/"+id, object{"tags": []string{"net"}, "memory_type": "Learning", "metadata": object{"a": 1}})
	try(200, "POST", "/api/consolidate", object{"time_horizon": "weekly"})
	try(200, "GET", "/api/stats", nil)
	try(200, "GET", "/api/health", nil)
	try(200, "GET", "/api/tags", nil)
	try(200, "GET", "/api/clusters", nil)
	try(200, "POST", "/api/forget/by-tags", object{"tags": []string{"none"}})
	try(200, "DELETE", "/api/forget/"+id, nil)
	try(404, "DELETE", "/api/forget/"+id, nil)

	var documented []string
	operations := 0
	for path, item := range s.doc.Paths.Map() {
		for method, op := range item.Operations() {
			operations++
			for status := range op.Responses.Map() {
				documented = append(documented, op.OperationID+" "+status)
			}
			r, _ := newRequest(t, method, strings.ReplaceAll(path, "{id}", id), nil)
			if _, pattern := s.mux.Handler(r); pattern != method+" "+path {
				t.Errorf("%s %s has the route %q", method, path, pattern)
			}
		}
	}
	slices.Sort(documented)
	slices.Sort(answered)
	if d := cmp.Diff(documented, answered); d != "" {
		t.Errorf("-in the document +answered here\n%s", d)
	}
	if routes := shodh.Routes(nil, nil); operations != 13+1 || len(routes) != operations {
		t.Errorf("the document has %d operations and there are %d routes, want 13 and one more", operations, len(routes))
	}
}

// TestRecall: limits, modes, types and the order by quality.
func TestRecall(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i := range 12 {
		kind := []string{"Decision", "Learning", "Task"}[i%3]
		s.remember(object{"content": fmt.Sprintf("deployment note number%d of the server", i), "type": kind, "quality_score": float64(i) / 20})
	}
	s.remember(object{"content": "lunch at noon", "type": "Task", "quality_score": 1})
	for name, tc := range map[string]struct {
		body object
		want int
	}{
		"default_limit": {object{"query": "deployment note"}, 5},
		"limit":         {object{"query": "deployment note", "limit": 7}, 7},
		"type":          {object{"query": "deployment note", "limit": 100, "memory_types": []string{"Decision"}}, 4},
		"types":         {object{"query": "deployment note", "limit": 100, "memory_types": []string{"Decision", "Learning"}}, 8},
		"no_type":       {object{"query": "deployment note", "limit": 100, "memory_types": []string{}}, 12},
		"unused_type":   {object{"query": "deployment note", "limit": 100, "memory_types": []string{"Search"}}, 0},
		"semantic":      {object{"query": "deployment note", "limit": 3, "mode": "semantic"}, 3},
		"associative":   {object{"query": "deployment note", "limit": 3, "mode": "associative"}, 3},
		"hybrid":        {object{"query": "deployment note", "limit": 3, "mode": "hybrid"}, 3},
		"boost":         {object{"query": "deployment note", "limit": 3, "quality_boost": true}, 3},
		"nothing":       {object{"query": "zyzzyva", "limit": 3}, 0},
	} {
		a := s.must(200, "POST", "/api/recall", tc.body)
		if got := a.count("count"); got != tc.want || len(list(a.get("memories"))) != tc.want || a.get("query") != tc.body["query"] {
			t.Errorf("%s: got %d memories, want %d: %.300s", name, got, tc.want, a.body)
		}
		before := 1.0
		for i := range a.count("count") {
			score, _ := a.get("memories", i, "relevance_score").(float64)
			if score > before {
				t.Errorf("%s: result %d has the score %v after %v", name, i, score, before)
			}
			before = score
		}
	}
	best := s.must(200, "POST", "/api/recall", object{"query": "deployment note of the server", "limit": 4, "quality_boost": true, "quality_weight": 1})
	if got := best.get("memories", 0, "quality_score"); got != .55 {
		t.Errorf("with all the weight on quality the first has the quality %v, want the best of the matches, .55: %s", got, best.body)
	}
	plain := s.must(200, "POST", "/api/recall", object{"query": "deployment note number3 of the server", "limit": 1, "quality_boost": true, "quality_weight": 0})
	if got := plain.text("memories", 0, "content"); got != "deployment note number3 of the server" {
		t.Errorf("without weight on quality the first is %q", got)
	}
}

// TestRecall_Semantic: a text without a common word is found, with its similarity.
func TestRecall_Semantic(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.remember(object{"content": "fixing the automobile"})
	s.remember(object{"content": "lunch at noon"})
	for _, mode := range []string{"semantic", "hybrid"} {
		a := s.must(200, "POST", "/api/recall", object{"query": "repair a vehicle", "mode": mode})
		score, _ := a.get("memories", 0, "similarity_score").(float64)
		if a.text("memories", 0, "content") != "fixing the automobile" || score <= .5 {
			t.Errorf("%s: got %s", mode, a.body)
		}
	}
}

// TestRecall_CountsUse: what a recall returns counts as retrieved, what a list shows does not.
func TestRecall_CountsUse(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.remember(object{"content": "counted note"})
	s.must(200, "POST", "/api/recall", object{"query": "counted note"})
	s.must(200, "GET", "/api/memories", nil)
	if err := s.engine.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.must(200, "GET", "/api/memories/"+id, nil).count("access_count"); got != 1 {
		t.Errorf("got %d accesses, want 1", got)
	}
}

// TestConsolidate: each horizon of the document is taken, near-duplicates are linked, and the clusters have all memories.
func TestConsolidate(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, text := range []string{"the gateway needs a keepalive", "the gateway needs a keepalive frame", "invoices are exported on Mondays", "ledgers are exported on Mondays", "the office has a plant"} {
		s.remember(object{"content": text})
	}
	for _, h := range []string{"daily", "weekly", "monthly", "quarterly", "yearly"} {
		a := s.must(200, "POST", "/api/consolidate", object{"time_horizon": h})
		if a.count("processed") != 5 || a.count("archived") != 0 {
			t.Errorf("%s: got %s", h, a.body)
		}
	}
	a := s.must(200, "GET", "/api/clusters", nil)
	var got struct {
		Clusters []struct{ Size int }
		Count    int
	}
	if err := json.Unmarshal(a.body, &got); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range got.Clusters {
		n += c.Size
	}
	if len(got.Clusters) != got.Count || n != 0 && n != 5 {
		t.Errorf("got %s", a.body)
	}
	if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 5 {
		t.Errorf("%d memories are left, want 5", got)
	}
}

// checkProperties reports the properties of a schema that a value lacks, but for those of left.
func (s *server) checkProperties(at string, schema *openapi3.Schema, v any) {
	s.t.Helper()
	for _, part := range schema.AllOf {
		s.checkProperties(at, part.Value, v)
	}
	if l, ok := v.([]any); ok && schema.Items != nil {
		if len(l) == 0 && !strings.HasSuffix(at, ".clusters") && !strings.HasSuffix(at, ".tags") {
			s.t.Errorf("%s has no element", at)
		}
		if len(l) > 0 {
			s.checkProperties(at+"[]", schema.Items.Value, l[0])
		}
		return
	}
	m, _ := v.(map[string]any)
	for name, p := range schema.Properties {
		switch x, ok := m[name]; {
		case ok:
			s.checkProperties(at+"."+name, p.Value, x)
		case left()[name] != "", strings.HasPrefix(at, "POST /api/recall/by-tags") && (name == "query" || strings.HasSuffix(name, "_score")): // there is no query
		default:
			s.t.Errorf("%s lacks %s", at, name)
		}
	}
}

// TestMethods: another method is 405.
func TestMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, method := range map[string]string{"/api/remember": "GET", "/api/memories": "POST", "/api/forget/x": "GET", "/api/health": "POST"} {
		r, _ := newRequest(t, method, path, nil)
		w := recorded(s.mux, r)
		if w.status != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: got %d", method, path, w.status)
		}
	}
}
