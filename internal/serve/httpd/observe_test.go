package httpd_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// heard notes what an observer hears.
type heard struct {
	mu  sync.Mutex
	all []httpd.Served
}

type heardKey struct{}

func (h *heard) Begin(r *http.Request) context.Context {
	r.Header.Set("X-Begun", "yes")
	return context.WithValue(r.Context(), heardKey{}, true)
}

func (h *heard) End(ctx context.Context, s httpd.Served) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Value(heardKey{}) == nil {
		s.Route = "in another context"
	}
	h.all = append(h.all, s)
}

// Every request is heard of once, with its pattern, and with the reason if no handler carried it out.
func TestServer_Observer(t *testing.T) {
	t.Parallel()
	h := &heard{}
	large := httpd.Route{Pattern: "POST /large", MaxBody: 10, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	})}
	inside := httpd.Route{Pattern: "GET /inside", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(heardKey{}) == nil || r.Header.Get("X-Begun") == "" {
			w.WriteHeader(http.StatusTeapot)
		}
	})}
	s := httpd.New(append(routes(), large, inside), httpd.Options{Tokens: known, Observer: h, Limits: httpd.Limits{Rate: .1}})
	for _, c := range []struct {
		method, path, body string
		header             []string
		want               httpd.Served
	}{
		{"GET", "/inside", "", nil, httpd.Served{Route: "GET /inside", Status: 200}},
		{"GET", "/read?q=private", "", []string{"X-API-Key", "reader"}, httpd.Served{Route: "GET /read", Status: 200}},
		{"GET", "/read", "", []string{"X-API-Key", "reader"}, httpd.Served{Route: "GET /read", Status: 429, Refused: httpd.RefusedRate}},
		{"GET", "/read", "", nil, httpd.Served{Route: "GET /read", Status: 401, Refused: httpd.RefusedAuth}},
		{"GET", "/read", "", []string{"X-API-Key", "wrong"}, httpd.Served{Route: "GET /read", Status: 401, Refused: httpd.RefusedAuth}},
		{"GET", "/admin", "", []string{"X-API-Key", "writer"}, httpd.Served{Route: "GET /admin", Status: 403, Refused: httpd.RefusedAuth}},
		{"POST", "/large", strings.Repeat("x", 11), nil, httpd.Served{Route: "POST /large", Status: 413, Refused: httpd.RefusedBody}},
		{"GET", "/open", "", []string{"Host", "evil.example.org"}, httpd.Served{Status: 403, Refused: httpd.RefusedSite}},
		{"GET", "/private/path", "", nil, httpd.Served{Status: 404}},
		{"GET", "/panic", "", nil, httpd.Served{Route: "GET /panic", Status: 500}},
	} {
		do(s, c.method, c.path, c.body, c.header...)
		got := h.all[len(h.all)-1]
		got.Took, c.want.Method = 0, c.method
		if got != c.want {
			t.Errorf("%s %s: got %+v, want %+v", c.method, c.path, got, c.want)
		}
	}
	if len(h.all) != 10 {
		t.Errorf("heard of %d requests", len(h.all))
	}
}

// A front end with a form of its own for failures has it for those that it never sees.
func TestServer_FormOfFailures(t *testing.T) {
	t.Parallel()
	own := func(p httpd.Problem) any { return map[string]any{"error": p.Detail, "code": p.Code} }
	s := httpd.New([]httpd.Route{
		{Pattern: "GET /own", Rights: hippo.RightWrite, Failure: own, Handler: http.HandlerFunc(echo)},
		{Pattern: "GET /own/panic", Failure: own, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") })},
		{Pattern: "GET /common", Rights: hippo.RightWrite, Handler: http.HandlerFunc(echo)},
	}, httpd.Options{Tokens: known, Limits: httpd.Limits{Rate: .1}})
	for _, c := range []struct {
		path, key string
		status    int
		host      string
	}{
		{"/own", "", 401, "localhost"},
		{"/own", "wrong", 401, "localhost"},
		{"/own", "reader", 403, "localhost"},
		{"/own", "writer", 200, "localhost"},
		{"/own", "writer", 429, "localhost"},
		{"/own", "", 403, "evil.example.org"},
		{"/own/panic", "", 500, "localhost"},
	} {
		header := []string{"Host", c.host}
		if c.key != "" {
			header = append(header, "X-API-Key", c.key)
		}
		w := do(s, "GET", c.path, "", header...)
		if w.Code != c.status || c.status != 200 && (w.Header().Get("Content-Type") != "application/json" || !strings.HasPrefix(w.Body.String(), `{"code":"`)) {
			t.Errorf("%s with %q: %d %s", c.path, c.key, w.Code, w.Body)
		}
	}
	if p := problem(t, do(s, "GET", "/common", "")); p.Status != 401 {
		t.Errorf("got %+v", p)
	}
}
