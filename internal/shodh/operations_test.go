package shodh_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/shodh"
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

// TestRemember_KeepsAll: every field of a request comes back as it was given, from each operation that shows memories.
func TestRemember_KeepsAll(t *testing.T) {
	t.Parallel()
	s := start(t)
	given := whole()
	a := s.must(201, "POST", "/api/remember", given)
	id := a.text("id")
	if a.get("success") != true || a.text("content_hash") != hashOf("The staging server listens on port 8080") {
		t.Errorf("got %s", a.body)
	}
	want := object{
		"id": id, "content_hash": a.text("content_hash"), "created_at": "2026-03-01T12:00:00Z", "updated_at": "2026-03-01T12:00:00Z",
		"quality_score": .5, "access_count": 0.0, "memory_type": "Decision",
	}
	maps.Copy(want, given)
	want["tags"], want["sequence_number"] = []any{"net", "staging"}, 2.0
	want["metadata"] = object{"ticket": 7.0, "nested": object{"a": []any{1.0, "b"}}}
	for name, got := range map[string]any{
		"getMemory":    s.must(200, "GET", "/api/memories/"+id, nil).get(),
		"listMemories": s.must(200, "GET", "/api/memories", nil).get("memories", 0),
		"recallByTags": s.must(200, "POST", "/api/recall/by-tags", object{"tags": []string{"net"}}).get("memories", 0),
		"updateMemory": s.must(200, "PATCH", "/api/memories/"+id, object{}).get(),
		"recall":       without(s.must(200, "POST", "/api/recall", object{"query": "staging server"}).get("memories", 0), "similarity_score", "relevance_score"),
	} {
		if d := cmp.Diff(any(want), got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// TestRemember_Defaults: what a request leaves out has the defaults of the document, or is left out.
func TestRemember_Defaults(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.remember(object{"content": "a plain note"})
	got := s.must(200, "GET", "/api/memories/"+id, nil).get()
	want := object{
		"id": id, "content": "a plain note", "content_hash": hashOf("a plain note"), "type": "Observation", "memory_type": "Observation",
		"tags": []any{}, "source_type": "user", "credibility": 1.0, "quality_score": .5, "access_count": 0.0, "metadata": object{},
		"created_at": "2026-03-01T12:00:00Z", "updated_at": "2026-03-01T12:00:00Z",
	}
	if d := cmp.Diff(any(want), got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if a := s.must(200, "GET", "/api/memories/"+id, nil); !strings.HasPrefix(string(a.body), `{"id":"`+id+`"`) {
		t.Errorf("the ID is not first: %s", a.body) // people read it
	}
}

// TestRemember_Duplicates: the same text is refused with the ID of the memory that has it, as long as that is not forgotten.
func TestRemember_Duplicates(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.remember(object{"content": "Deploys freeze on Fridays"})
	a := s.must(409, "POST", "/api/remember", object{"content": "  deploys freeze on FRIDAYS\n", "type": "Decision"})
	if want := (object{"success": false, "error": "Memory already exists", "existing_id": id}); cmp.Diff(any(want), a.get()) != "" {
		t.Errorf("got %s, want %v", a.body, want)
	}
	if got := s.must(200, "GET", "/api/memories/"+id, nil); got.text("type") != "Observation" {
		t.Errorf("a refused request changed the memory: %s", got.body)
	}
	s.must(200, "DELETE", "/api/forget/"+id, nil)
	if again := s.remember(object{"content": "Deploys freeze on Fridays"}); again == id {
		t.Errorf("the ID %s of a forgotten memory is used again", id)
	}
	// Other front ends store a text twice. It is a duplicate all the same.
	for range 2 {
		if _, err := s.engine.In(owner()).Record(t.Context(), &hippo.Memory{Content: "twice", Importance: hippo.Importance{Base: .5}}); err != nil {
			t.Fatal(err)
		}
	}
	if a := s.must(409, "POST", "/api/remember", object{"content": "Twice"}); a.text("existing_id") == "" {
		t.Errorf("got %s", a.body)
	}
}

// TestRemember_AtOnce: of requests with the same content at a time, one is stored.
func TestRemember_AtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	statuses := make(chan int)
	const n = 16
	for range n {
		go func() { statuses <- s.send("POST", "/api/remember", object{"content": "the same text"}).status }()
	}
	counts := make(map[int]int)
	for range n {
		counts[<-statuses]++
	}
	if d := cmp.Diff(map[int]int{201: 1, 409: n - 1}, counts); d != "" {
		t.Errorf("statuses: -want +got\n%s", d)
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

// TestByTags: any of the tags is enough, newest first, and all of them where the caller says so.
func TestByTags(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i, tags := range [][]string{{"a"}, {"a", "b"}, {"b"}, {"c"}, {"A"}} {
		s.advance(time.Minute)
		s.remember(object{"content": fmt.Sprintf("note %d", i), "tags": tags, "type": []string{"Task", "Error"}[i%2]})
	}
	for name, tc := range map[string]struct {
		body object
		want []string
	}{
		"any":         {object{"tags": []string{"a", "b"}}, []string{"note 2", "note 1", "note 0"}},
		"one":         {object{"tags": []string{"b"}}, []string{"note 2", "note 1"}},
		"twice":       {object{"tags": []string{"b", "b", " b "}}, []string{"note 2", "note 1"}},
		"unknown":     {object{"tags": []string{"z"}}, nil},
		"limit":       {object{"tags": []string{"a", "b", "c"}, "limit": 2}, []string{"note 3", "note 2"}},
		"match_all":   {object{"tags": []string{"a", "b"}, "match_all": true}, []string{"note 1"}},
		"match":       {object{"tags": []string{"a", "b"}, "match": "all"}, []string{"note 1"}},
		"match_any":   {object{"tags": []string{"a", "b"}, "match": "any"}, []string{"note 2", "note 1", "note 0"}},
		"type":        {object{"tags": []string{"a", "b"}, "memory_type": "Error"}, []string{"note 1"}},
		"unused_type": {object{"tags": []string{"a", "b"}, "memory_type": "Search"}, nil},
	} {
		if got := contents(s.must(200, "POST", "/api/recall/by-tags", tc.body)); cmp.Diff(tc.want, got) != "" {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// TestForgetByTags: it deletes what recallByTags finds, and nothing else.
func TestForgetByTags(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i := range 5 {
		s.advance(time.Second)
		s.remember(object{"content": fmt.Sprintf("note %d", i), "tags": []string{[]string{"old", "new"}[i%2], "all"}})
	}
	if a := s.must(200, "POST", "/api/forget/by-tags", object{"tags": []string{"old", "none"}, "dry_run": true}); a.count("deleted_count") != 3 {
		t.Errorf("a dry run: got %s", a.body)
	}
	if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 5 {
		t.Fatalf("after a dry run there are %d memories, want 5", got)
	}
	if a := s.must(200, "POST", "/api/forget/by-tags", object{"tags": []string{"old", "none"}}); a.count("deleted_count") != 3 || a.get("success") != true {
		t.Errorf("got %s", a.body)
	}
	if got := contents(s.must(200, "GET", "/api/memories", nil)); cmp.Diff([]string{"note 3", "note 1"}, got) != "" {
		t.Errorf("left are %q", got)
	}
	if a := s.must(200, "POST", "/api/forget/by-tags", object{"tags": []string{"old"}}); a.count("deleted_count") != 0 {
		t.Errorf("again: got %s", a.body)
	}
}

// TestForgetByTags_Many: more than one page is deleted whole.
func TestForgetByTags_Many(t *testing.T) {
	t.Parallel()
	s := start(t)
	const n = hippo.MaxCount + 5
	m := s.engine.In(owner())
	for i := range n {
		if _, err := m.Record(t.Context(), &hippo.Memory{Content: fmt.Sprintf("note %d", i), Tags: []string{"many"}, Importance: hippo.Importance{Base: .5}}); err != nil {
			t.Fatal(err)
		}
	}
	if a := s.must(200, "POST", "/api/forget/by-tags", object{"tags": []string{"many"}}); a.count("deleted_count") != n {
		t.Errorf("got %s, want %d", a.body, n)
	}
	if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 0 {
		t.Errorf("%d memories are left", got)
	}
}

// TestForget: a deleted memory is gone for every operation, and its owner can restore it.
func TestForget(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.remember(object{"content": "to be deleted", "tags": []string{"gone"}})
	s.remember(object{"content": "to be kept"})
	if a := s.must(200, "DELETE", "/api/forget/"+id, nil); a.get("success") != true || a.get("deleted") != true {
		t.Errorf("got %s", a.body)
	}
	for _, c := range [][2]string{{"GET", "/api/memories/"}, {"PATCH", "/api/memories/"}, {"DELETE", "/api/forget/"}} {
		if a := s.send(c[0], c[1]+id, object{}); a.status != 404 || a.text("code") != "not_found" {
			t.Errorf("%s: got %d %s, want 404", c[0], a.status, a.body)
		}
	}
	for _, a := range []*answer{
		s.must(200, "GET", "/api/memories", nil),
		s.must(200, "GET", "/api/tags", nil),
		s.must(200, "GET", "/api/stats", nil),
		s.must(200, "POST", "/api/recall", object{"query": "to be deleted", "limit": 100}),
		s.must(200, "POST", "/api/recall/by-tags", object{"tags": []string{"gone"}}),
	} {
		if strings.Contains(string(a.body), "gone") || strings.Contains(string(a.body), id) || a.count("total_memories")+a.count("total") > 1 {
			t.Errorf("it is still there: %s", a.body)
		}
	}
	ref, err := s.engine.In(owner()).Resolve(t.Context(), id, engine.PreferForgotten)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.engine.In(owner()).Restore(t.Context(), []hippo.ID{ref}); err != nil {
		t.Fatal(err)
	}
	s.must(200, "GET", "/api/memories/"+id, nil)
}

// TestListMemories: pages are newest first, complete, and without repetition.
func TestListMemories(t *testing.T) {
	t.Parallel()
	s := start(t)
	if a := s.must(200, "GET", "/api/memories", nil); string(a.body) != `{"memories":[],"count":0,"total":0}`+"\n" {
		t.Errorf("an empty store: got %s", a.body)
	}
	var want []string
	for i := range 25 {
		s.advance(time.Second)
		text := fmt.Sprintf("note %d", i)
		s.remember(object{"content": text, "type": []string{"Task", "Error", "Observation"}[i%3]})
		want = slices.Insert(want, 0, text)
	}
	a := s.must(200, "GET", "/api/memories", nil)
	if got := contents(a); cmp.Diff(want[:20], got) != "" || a.count("count") != 20 || a.count("total") != 25 {
		t.Errorf("got %d of %d: %q", a.count("count"), a.count("total"), got)
	}
	var got []string
	for offset := 0; offset < 25; offset += 10 {
		got = append(got, contents(s.must(200, "GET", fmt.Sprintf("/api/memories?limit=10&offset=%d", offset), nil))...)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("pages: -want +got\n%s", d)
	}
	for path, want := range map[string][2]int{ // count, total
		"?type=Task":                {9, 9},
		"?type=Error&limit=3":       {3, 8},
		"?type=Search":              {0, 0},
		"?offset=25":                {0, 25},
		"?offset=9007199254740991":  {0, 25},
		"?limit=100":                {25, 25},
		"?n=3":                      {3, 25},
		"?memory_type=task":         {9, 9},
		"?limit=&offset=&user_id=x": {20, 25},
	} {
		a := s.send("GET", "/api/memories"+path, nil)
		if got := [2]int{a.count("count"), a.count("total")}; a.status != 200 || got != want || len(contents(a)) != want[0] {
			t.Errorf("%s: got %d %.200s, want %v", path, a.status, a.body, want)
		}
	}
}

// TestStats: counts agree with the lists.
func TestStats(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i, kind := range []string{"Task", "Task", "Error", "Observation"} {
		s.remember(object{"content": fmt.Sprintf("old %d", i), "type": kind, "tags": []string{"t", kind}})
	}
	for i, kind := range []string{"", "note", "task", "code_edit"} { // as other front ends store them
		if _, err := s.engine.In(owner()).Record(t.Context(), &hippo.Memory{Content: fmt.Sprintf("ours %d", i), Type: kind, Importance: hippo.Importance{Base: .5}}); err != nil {
			t.Fatal(err)
		}
	}
	s.advance(8 * 24 * time.Hour)
	s.remember(object{"content": "new"})
	a := s.must(200, "GET", "/api/stats", nil)
	want := object{
		"total_memories": 9.0, "memories_last_7_days": 1.0, "database": "memory", "vector_store": "hippo",
		"by_type": []any{
			object{"memory_type": "Observation", "count": 4.0},
			object{"memory_type": "Task", "count": 3.0},
			object{"memory_type": "CodeEdit", "count": 1.0},
			object{"memory_type": "Error", "count": 1.0},
		},
	}
	if d := cmp.Diff(any(want), a.get()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	for i := range 4 {
		kind, n := a.text("by_type", i, "memory_type"), a.count("by_type", i, "count")
		l := s.must(200, "GET", "/api/memories?type="+kind, nil)
		if l.count("total") != n {
			t.Errorf("%s: the list has %d, the statistics %d", kind, l.count("total"), n)
		}
		for k := range n {
			if got := l.text("memories", k, "type"); got != kind {
				t.Errorf("the list of %s has a %s", kind, got)
			}
		}
	}
	if got := s.must(200, "GET", "/api/tags", nil); string(got.body) != `{"tags":["Error","Observation","Task","t"],"count":4}`+"\n" {
		t.Errorf("got %s", got.body)
	}
}

// TestConsolidate: each horizon of the document is taken, and nothing is changed.
func TestConsolidate(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.remember(object{"content": "stays"})
	for _, h := range []string{"daily", "weekly", "monthly", "quarterly", "yearly"} {
		if a := s.must(200, "POST", "/api/consolidate", object{"time_horizon": h}); string(a.body) != `{"success":true,"processed":0,"archived":0,"associations_created":0}`+"\n" {
			t.Errorf("%s: got %s", h, a.body)
		}
	}
	if a := s.must(200, "GET", "/api/clusters", nil); string(a.body) != `{"clusters":[],"count":0}`+"\n" {
		t.Errorf("got %s", a.body)
	}
	if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 1 {
		t.Errorf("%d memories are left, want 1", got)
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
