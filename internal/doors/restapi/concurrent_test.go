package restapi_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// statuses sends a request n times at once and counts the statuses.
func (s *server) statuses(n int, method, path, body string, header ...string) map[int]int {
	var mu sync.Mutex
	var group sync.WaitGroup
	out := make(map[int]int)
	for range n {
		group.Go(func() {
			r := s.do(method, path, body, header...)
			mu.Lock()
			defer mu.Unlock()
			out[r.status]++
		})
	}
	group.Wait()
	return out
}

// TestConcurrent: of several requests at once, one record with the same key and one change of the same version succeed.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	s := start(t)
	old := s.record(`{"content":"old"}`)
	const n = 8
	record := s.statuses(n, http.MethodPost, "/memories", `{"content":"one","supersedes":["`+old.UUID+`"]}`, "Idempotency-Key", "k")
	if d := cmp.Diff(map[int]int{http.StatusCreated: 1, http.StatusOK: n - 1}, record); d != "" {
		t.Error(d)
	}
	m := s.record(`{"content":"two"}`)
	change := s.statuses(n, http.MethodPatch, "/memories/"+m.UUID, `{"content":"three"}`, "If-Match", `"v1"`)
	if d := cmp.Diff(map[int]int{http.StatusOK: 1, http.StatusPreconditionFailed: n - 1}, change); d != "" {
		t.Error(d)
	}
}

// TestEvents_overAConnection: events arrive while the response goes on, and the stream of a client that goes away ends.
func TestEvents_overAConnection(t *testing.T) {
	t.Parallel()
	s := startWith(t, options{now: time.Now})
	web := httptest.NewServer(s.handler)
	defer web.Close() // waits for the streams that are open
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, web.URL+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := web.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	next := func(prefix string) string {
		t.Helper()
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), prefix); ok {
				return text
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return ""
	}
	if got := next("event: "); got != "ready" {
		t.Errorf("the first event is %q", got)
	}
	m := s.record(`{"content":"one"}`)
	if got := next("event: "); got != "change" {
		t.Errorf("the second event is %q", got)
	}
	if got := next("data: "); !strings.Contains(got, m.UUID) {
		t.Errorf("got %q", got)
	}
}

// TestTransfer_overAConnection: an export and an import of many parts go over a connection.
func TestTransfer_overAConnection(t *testing.T) {
	t.Parallel()
	s := startWith(t, options{now: time.Now})
	web := httptest.NewServer(s.handler)
	defer web.Close()
	var text strings.Builder
	text.WriteString(exportHeader)
	const all = 2000
	for i := range all {
		text.WriteString(exportLine(i, strings.Repeat("x", 1000)))
	}
	response, err := web.Client().Post(web.URL+"/api/v1/import", "application/x-ndjson", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		t.Errorf("status %d", response.StatusCode)
	}
	export, err := web.Client().Get(web.URL + "/api/v1/export")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = export.Body.Close() }()
	n := 0
	lines := bufio.NewScanner(export.Body)
	for ; lines.Scan(); n++ {
	}
	if n != all+1 || lines.Err() != nil || export.Trailer.Get("Hippo-Unreadable") != "0" {
		t.Errorf("%d lines (%v), trailer %v", n, lines.Err(), export.Trailer)
	}
}
