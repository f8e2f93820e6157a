package restapi_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// operationsOf are the answers of log, diff and undo.
type (
	pastLog struct {
		Operations []struct {
			UUID, Verb, Reason string
			Insights           []string
		}
		More bool
	}
	pastDiff struct {
		Changed       []string
		Before, After stored
	}
)

// TestPast: what was changed is listed, compared and undone; an undo of what was changed since is refused and names it.
func TestPast(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"the pump needs oil","situation":["maintenance"]}`)
	s.record(`{"content":"the valve is red"}`)
	s.do(http.MethodGet, "/memories/"+m.UUID+"/diff", "").failed(http.StatusNotFound, "not_found", "")
	s.do(http.MethodPatch, "/memories/"+m.UUID, `{"content":"the pump needs grease","reason":"read the manual"}`).want(http.StatusOK)
	s.do(http.MethodPatch, "/memories/"+m.UUID, `{"tags":["pump"]}`).want(http.StatusOK)

	var log pastLog
	s.do(http.MethodGet, "/log?limit=1", "").want(http.StatusOK).into(&log)
	if len(log.Operations) != 1 || !log.More {
		t.Fatalf("a page of one: %+v", log)
	}
	log = pastLog{}
	s.do(http.MethodGet, "/log?memory="+m.UUID, "").want(http.StatusOK).into(&log)
	if len(log.Operations) != 2 || log.More || log.Operations[1].Reason != "read the manual" || !slices.Equal(log.Operations[1].Insights, []string{m.UUID}) {
		t.Fatalf("the log has %+v", log)
	}
	var d pastDiff
	s.do(http.MethodGet, "/memories/"+m.UUID+"/diff?from=2&to=1", "").want(http.StatusOK).into(&d)
	if !slices.Contains(d.Changed, "content") || slices.Contains(d.Changed, "tags") || d.Before.Content != "the pump needs oil" || d.After.Content != "the pump needs grease" {
		t.Errorf("from 2 to 1: %+v", d)
	}
	d = pastDiff{}
	s.do(http.MethodGet, "/memories/"+m.UUID+"/diff", "").want(http.StatusOK).into(&d)
	if diff := cmp.Diff([]string{"pump"}, d.After.Tags); diff != "" || !slices.Contains(d.Changed, "tags") || slices.Contains(d.Changed, "content") {
		t.Errorf("the last change: %+v", d)
	}
	s.do(http.MethodGet, "/memories/"+m.UUID+"/diff?from=3", "").failed(http.StatusBadRequest, "invalid", "from")
	s.do(http.MethodGet, "/memories/"+m.UUID+"/diff?to=-1", "").failed(http.StatusBadRequest, "invalid", "to")
	s.do(http.MethodPost, "/undo", `{"operation":"`+log.Operations[1].UUID+`"}`).failed(http.StatusConflict, "conflict", "")
	for _, o := range log.Operations {
		s.do(http.MethodPost, "/undo", `{"operation":"`+o.UUID+`","reason":"wrong"}`).want(http.StatusOK)
	}
	var got stored
	s.do(http.MethodGet, "/memories/"+m.UUID, "").want(http.StatusOK).into(&got)
	if got.Content != "the pump needs oil" || len(got.Tags) != 0 {
		t.Errorf("after the undo: %+v", got)
	}
	s.do(http.MethodPost, "/undo", `{"operation":"nonsense"}`).failed(http.StatusBadRequest, "invalid", "operation")
	s.do(http.MethodPost, "/undo", `{"operation":"00000000-0000-7000-8000-000000000000"}`).failed(http.StatusNotFound, "not_found", "")
}

// TestRoutes_LongOnes: what reads a whole store may take longer than the usual minute, and nothing else may.
func TestRoutes_LongOnes(t *testing.T) {
	t.Parallel()
	s := start(t)
	long := []string{"GET /api/v1/clusters", "GET /api/v1/audit", "POST /api/v1/consolidate", "POST /api/v1/undo", "GET /api/v1/namespaces", "GET /api/v1/namespaces/usage", "DELETE /api/v1/namespaces", "POST /api/v1/sync/now", "POST /api/v1/sync/verify", "POST /api/v1/sync/rebuild", "POST /api/v1/sync/retire"}
	for _, r := range s.routes {
		if got := r.Reply >= 5*time.Minute; got != slices.Contains(long, r.Pattern) {
			t.Errorf("%s may take %v", r.Pattern, r.Reply)
		}
	}
}

// TestKnownAt_SaysWhereTheHistoryEnds: a read by ID of what was known before the oldest version that is kept says so.
func TestKnownAt_SaysWhereTheHistoryEnds(t *testing.T) {
	t.Parallel()
	at := noon()
	s := startWith(t, options{now: func() time.Time { return at }})
	m := s.record(`{"content":"port 0"}`)
	for range 25 {
		at = at.Add(time.Minute)
		s.do(http.MethodPatch, "/memories/"+m.UUID, `{"content":"port `+at.Format("1504")+`"}`).want(http.StatusOK)
	}
	type noted struct {
		Content  string
		Degraded []string
	}
	known := "?known_at=" + noon().Add(time.Second).Format(time.RFC3339)
	var one, many, now noted
	s.do(http.MethodGet, "/memories/"+m.UUID+known, "").want(http.StatusOK).into(&one)
	s.do(http.MethodPost, "/memories/get", `{"uuids":["`+m.UUID+`"],"known_at":"`+noon().Add(time.Second).Format(time.RFC3339)+`"}`).want(http.StatusOK).into(&many)
	s.do(http.MethodGet, "/memories/"+m.UUID, "").want(http.StatusOK).into(&now)
	if len(one.Degraded) != 1 || one.Content == now.Content || len(many.Degraded) != 1 || len(now.Degraded) != 0 {
		t.Errorf("one %+v, many %+v, now %+v", one, many, now)
	}
}
