package shodh_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

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
		if _, err := memory.Record(t.Context(), s.engine.In(owner()), &hippo.Memory{Content: "twice", Importance: hippo.Importance{Base: .5}}); err != nil {
			t.Fatal(err)
		}
	}
	if a := s.must(409, "POST", "/api/remember", object{"content": "Twice"}); a.text("existing_id") == "" {
		t.Errorf("got %s", a.body)
	}
}

// TestRemember_AtOnce: of requests with the same content at a time, one is stored, also if none is
// stored when the others look for it. Requests with other content do not wait.
func TestRemember_AtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{t: t, doc: loadDocument(t), log: &syncBuffer{}, now: time.Now(), slow: time.Second}
		s.engine = s.newEngine()
		s.serve(func(context.Context) (*engine.Engine, error) { return s.engine, nil })
		const n = 8
		statuses := make(chan int, 2*n)
		began := time.Now()
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { statuses <- s.send("POST", "/api/remember", object{"content": "the same text"}).status })
			wg.Go(func() {
				statuses <- s.send("POST", "/api/remember", object{"content": fmt.Sprintf("another text %d", i)}).status
			})
		}
		wg.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("they took %v, want that of one write", took)
		}
		close(statuses)
		counts := make(map[int]int)
		for status := range statuses {
			counts[status]++
		}
		if d := cmp.Diff(map[int]int{201: 1 + n, 409: n - 1}, counts); d != "" {
			t.Errorf("statuses: -want +got\n%s", d)
		}
	})
}

// TestRemember_Canceled: a request whose client goes away while it waits for another one stores nothing.
func TestRemember_Canceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{t: t, doc: loadDocument(t), log: &syncBuffer{}, now: time.Now(), slow: time.Second}
		s.engine = s.newEngine()
		s.serve(func(context.Context) (*engine.Engine, error) { return s.engine, nil })
		first := make(chan int)
		go func() { first <- s.send("POST", "/api/remember", object{"content": "text"}).status }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		r, _ := newRequest(t, "POST", "/api/remember", object{"content": "text"})
		r = r.WithContext(httpd.WithCaller(ctx, httpd.Caller{Scope: owner()}))
		if a := recorded(s.mux, r); a.status != 503 || a.text("code") != "canceled" {
			t.Errorf("got %d %s", a.status, a.body)
		}
		if got := <-first; got != 201 {
			t.Errorf("the other request: got %d", got)
		}
		if got := s.must(200, "GET", "/api/memories", nil).count("total"); got != 1 {
			t.Errorf("there are %d memories, want 1", got)
		}
	})
}
