package telemetry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
)

type everybody struct{}

func (everybody) Authenticate(string) (httpd.Caller, bool) {
	return httpd.Caller{Name: "someone", Scope: hippo.LocalScope("")}, true
}

// search is a route that searches.
func search(e *engine.Engine) httpd.Route {
	return httpd.Route{Pattern: "GET /search/{id}", Rights: hippo.RightRead, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := query.Search(r.Context(), e.In(httpd.CallerOf(r.Context()).Scope), hippo.Query{Text: r.URL.Query().Get("q")}); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})}
}

func send(s http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%","arguments":@}}`

func TestMetrics(t *testing.T) {
	t.Parallel()
	e, m := enginetest.Open(t, enginetest.Options{}), telemetry.NewMetrics("v1.2.3", time.Now)
	o := &telemetry.Observer{Metrics: m}
	scope := hippo.LocalScope("")
	scope.Namespace = "hidden"
	if _, err := memory.Record(t.Context(), e.In(scope), &hippo.Memory{Content: "a secret text", Project: "hidden", Importance: hippo.Importance{Base: .5}}); err != nil {
		t.Fatal(err)
	}
	e = engine.Observed(e, o.Verb)
	open := func(context.Context) (*engine.Engine, error) { return e, nil }
	routes := append(mcpserver.Routes(open, &mcpserver.Options{Observe: o.Tool}), search(e), m.Route(open))
	s := httpd.New(routes, httpd.Options{Tokens: everybody{}, Observer: o})
	key := []string{"X-API-Key", "x", "Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	send(s, "GET", "/search/private?q=private", "", key...)
	send(s, "GET", "/search/private?q=private", "")
	send(s, "GET", "/private/path", "", key...)
	for name, arguments := range map[string]string{
		"hippo_search_insights": `{"query":"private"}`, "hippo_record_insight": `{"content":7}`, "hippo_private": `{}`, "memory_health": `{}`,
	} {
		send(s, "POST", "/mcp", strings.NewReplacer("%", name, "@", arguments).Replace(tool), key...)
	}
	w := send(s, "GET", "/metrics", "", key...)
	got := w.Body.String()
	for _, want := range []string{
		`hippo_http_requests_total{route="GET /search/{id}",status="200"} 1`,
		`hippo_http_requests_total{route="GET /search/{id}",status="401"} 1`,
		`hippo_http_requests_total{route="none",status="404"} 1`,
		`hippo_http_request_seconds_count{route="GET /search/{id}"} 2`,
		`hippo_http_refused_total{reason="auth"} 1`,
		`hippo_http_refused_total{reason="body"} 0`,
		`hippo_tool_calls_total{tool="hippo_record_insight",code="invalid"} 1`,
		`hippo_tool_call_seconds_count{tool="hippo_search_insights"} 1`,
		`hippo_tool_calls_total{tool="memory_health",code="ok"} 1`,
		`hippo_verb_calls_total{verb="search",code="ok"} 2`,
		`hippo_failed_writes_total{verb="record"} 0`,
		`hippo_memories{state="found"} 1`, `hippo_store_open 1`, `hippo_info{version="v1.2.3"} 1`, `hippo_lost_accesses_total 0`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("lacks %s", want)
		}
	}
	for _, private := range []string{"private", "secret", "hidden", "someone"} {
		if strings.Contains(got, private) {
			t.Errorf("shows %s", private)
		}
	}
	valid := regexp.MustCompile(`^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+.0-9e]+)$`)
	for line := range strings.Lines(got) {
		if !valid.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("line %q", line)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// A store that cannot be opened, and writes that fail, show.
func TestMetrics_Failures(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("v1", time.Now)
	o := telemetry.Observer{Metrics: m}
	for _, c := range []struct {
		verb string
		err  error
	}{
		{"record", hippo.ErrFull}, {"record", hippo.ErrInvalid}, {"modify", errors.New("fault")}, {"search", hippo.ErrUnavailable},
	} {
		_, end := o.Verb(t.Context(), c.verb)
		end(c.err)
	}
	broken := m.Route(func(context.Context) (*engine.Engine, error) { return nil, hippo.ErrCorrupt })
	s := httpd.New([]httpd.Route{broken}, httpd.Options{Tokens: everybody{}})
	w := send(s, "GET", "/metrics", "", "X-API-Key", "x")
	for _, want := range []string{
		`hippo_failed_writes_total{verb="record"} 1`, `hippo_failed_writes_total{verb="modify"} 1`, `hippo_verb_calls_total{verb="record",code="invalid"} 1`, "hippo_store_open 0",
	} {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want+"\n") {
			t.Errorf("%d, lacks %s", w.Code, want)
		}
	}
	if strings.Contains(w.Body.String(), `failed_writes_total{verb="search"}`) {
		t.Error("a search is no write")
	}
}
