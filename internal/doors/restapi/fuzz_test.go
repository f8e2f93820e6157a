package restapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// FuzzRequest: no body, path or query makes a request fail for a reason of the server, and every answer conforms to
// the document.
func FuzzRequest(f *testing.F) {
	const id = "01948f00-0000-7000-8000-000000000001"
	for pattern, request := range requests(id, "01948f00-0000-7000-8000-000000000002") {
		method, _, ok := strings.Cut(pattern, " ")
		if ok && request[0] != "/events" {
			f.Add(method, request[0], request[1], `"v1"`)
		}
	}
	f.Add("POST", "/memories", `{"content":"a","metadata":{"x":[{"y":null}]},"source":{"kind":"tool","seq":-1},"event_time":"3d"}`, "key")
	f.Add("POST", "/search", `{"query":"a","relevance_range":{"min":-1,"max":1e308},"situation_filter":["b"],"when":"last week"}`, "")
	f.Add("GET", "/memories?when=yesterday&tags=a&limit=1000&offset=9223372036854775807", "", "")
	for _, body := range []string{ // what reviews showed
		`{"content":"a","event_time":"","valid_until":"","tags":[],"situation":[" "],"type":"","project":""}`,
		`{"content":"a","event_time":"2026-03-29 02:30","valid_until":"2020-01-01","project":"acme/shop","supersedes":[""]}`,
		`{"query":"- : / ' \" ( )","limit":0,"max_tokens":0,"as_of":"","when":"Jul 9"}`, `{"query":null,"tags":null,"when":"03.05.2026"}`, `{}`, `[]`, `3`,
	} {
		f.Add("POST", "/memories", body, "")
		f.Add("POST", "/search", body, "")
		f.Add("PATCH", "/memories/"+id, body, `"v1"`)
	}
	s := start(f)
	s.importing(exportHeader+exportLine(1, "one")+exportLine(2, "two"), "")
	f.Fuzz(func(t *testing.T, method, path, body, tag string) {
		if !validTarget(method, path) {
			return
		}
		on := *s
		on.t = t
		header := []string{"If-Match", tag, "Idempotency-Key", tag}
		if strings.HasPrefix(path, "/import") {
			header = ndjson()
		}
		if r := on.do(method, path, body, header...); r.status >= http.StatusInternalServerError && r.status != http.StatusNotImplemented { // limits need a database
			t.Errorf("status %d: %s", r.status, r.body)
		}
	})
}

// validTarget reports whether a client could send such a request at all. A stream of events has no end.
func validTarget(method, path string) bool {
	r, err := http.NewRequest(method, "http://host/api/v1"+path, nil)
	return err == nil && strings.HasPrefix(path, "/") && !strings.ContainsAny(path, " \r\n#") && !strings.Contains(r.URL.Path, "events") && len(path) < hippo.MaxContent
}

// FuzzImport: no import fails for a reason of the server, and what was added is exported again.
func FuzzImport(f *testing.F) {
	f.Add(exportHeader + exportLine(1, "one") + exportLine(1, "again") + "{}\n")
	f.Add(exportHeader + `{"uuid":"01948f00-0000-7000-8000-000000000001","content":"a","relations":[{"to":"01948f00-0000-7000-8000-000000000002","kind":"x","weight":1}],"secret_allowed":true}`)
	f.Add("\ufeff{\"hippo_export\":1}\r\n\r\n[]\n")
	f.Add(`{"hippo_export":1,"active_day_counter":-1,"last_calendar_date_used":"yesterday"}`)
	f.Fuzz(func(t *testing.T, text string) {
		s := start(t)
		r := s.do(http.MethodPost, "/import", text, ndjson()...)
		if r.status != http.StatusOK {
			if r.status >= http.StatusInternalServerError {
				t.Errorf("status %d: %s", r.status, r.body)
			}
			return
		}
		var out outcome
		r.into(&out)
		export := string(s.do(http.MethodGet, "/export", "").want(http.StatusOK).body)
		if n := strings.Count(export, "\n"); n != out.Added+1 {
			t.Errorf("%d lines after %+v", n, out)
		}
		if again := s.importing(export, ""); again.Added != 0 || again.Present != out.Added || len(again.Rejected) != 0 {
			t.Errorf("again: %+v of %s", again, export)
		}
	})
}
