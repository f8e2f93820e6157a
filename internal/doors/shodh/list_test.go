package shodh_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// TestByTags: any of the tags is enough, in any case, newest first, and all of them if the caller asks for that.
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
		"any":         {object{"tags": []string{"a", "b"}}, []string{"note 4", "note 2", "note 1", "note 0"}},
		"one":         {object{"tags": []string{"b"}}, []string{"note 2", "note 1"}},
		"twice":       {object{"tags": []string{"b", "b", " b "}}, []string{"note 2", "note 1"}},
		"unknown":     {object{"tags": []string{"z"}}, nil},
		"limit":       {object{"tags": []string{"a", "b", "c"}, "limit": 2}, []string{"note 4", "note 3"}},
		"match_all":   {object{"tags": []string{"a", "b"}, "match_all": true}, []string{"note 1"}},
		"match":       {object{"tags": []string{"a", "b"}, "match": "all"}, []string{"note 1"}},
		"match_any":   {object{"tags": []string{"a", "b"}, "match": "any"}, []string{"note 4", "note 2", "note 1", "note 0"}},
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
		if _, err := memory.Record(t.Context(), m, &hippo.Memory{Content: fmt.Sprintf("note %d", i), Tags: []string{"many"}, Importance: hippo.Importance{Base: .5}}); err != nil {
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
	ref, err := memory.Resolve(t.Context(), s.engine.In(owner()), id, api.PreferForgotten)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Restore(t.Context(), s.engine.In(owner()), []hippo.ID{ref}); err != nil {
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
		if _, err := memory.Record(t.Context(), s.engine.In(owner()), &hippo.Memory{Content: fmt.Sprintf("ours %d", i), Type: kind, Importance: hippo.Importance{Base: .5}}); err != nil {
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
