package shodh_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/shodh"
)

// FuzzRequests sends any body, and any text in the path and in the query, to any operation: the answer conforms to the
// document, is never a failure of the server, and no other tenant is changed.
func FuzzRequests(f *testing.F) {
	patterns := make([]string, 0, len(shodh.Routes(nil, nil)))
	for _, r := range shodh.Routes(nil, nil) {
		patterns = append(patterns, r.Pattern)
	}
	seed := func(q request) {
		body, err := json.Marshal(q.body)
		if err != nil {
			f.Fatal(err)
		}
		for i, p := range patterns {
			if p == q.method+" "+q.path {
				f.Add(uint8(i), "", "limit=3&type=Task", string(body))
			}
		}
	}
	for _, q := range requests("x") {
		seed(q)
	}
	for _, r := range refusals() {
		if text, ok := r.body.(string); ok && len(text) < 1000 {
			f.Add(uint8(0), "", "", text)
		} else if body, ok := r.body.(object); ok {
			seed(request{r.method, r.path, body})
		}
	}
	f.Add(uint8(7), "%ff", "offset=-1", "")
	f.Add(uint8(8), "0000", "", `{"metadata":{"emotion":null,"credibility":1e400}}`)
	other := hippo.Scope{Namespace: "other", Rights: hippo.AllRights}
	doc := loadDocument(f)
	f.Fuzz(func(t *testing.T, op uint8, id, query, body string) {
		s := startWith(t, doc)
		s.as(other, "POST", "/api/remember", object{"content": "theirs", "tags": []string{"a", "theirs"}})
		method, path := split(patterns[int(op)%len(patterns)])
		a := s.fuzzed(method, path, id, query, body)
		if a != nil && (a.status >= http.StatusInternalServerError || !json.Valid(a.body)) {
			t.Errorf("%s %s %q %q %q: got %d %.300s", method, path, id, query, body, a.status, a.body)
		}
		if got := s.as(other, "GET", "/api/stats", nil).count("total_memories"); got != 1 {
			t.Errorf("another tenant has %d memories, want 1", got)
		}
	})
}
