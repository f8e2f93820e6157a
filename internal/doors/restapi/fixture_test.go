package restapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"go.uber.org/goleak"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/restapi"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func TestMain(m *testing.M) {
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.FileBodyDecoder)
	goleak.VerifyTestMain(m)
}

// noon is when every test happens.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// server is the REST interface over a store in RAM. A header says who sends a request, see [scopeHeader].
type server struct {
	t        testing.TB
	engine   *engine.Engine
	handler  http.Handler
	routes   []httpd.Route
	log      *bytes.Buffer
	document *openapi3.T
}

// options of a server; the zero value is useful.
type options struct {
	backend driver.Backend   // nil: a new one in RAM
	opening error            // of the engine
	now     func() time.Time // nil: noon; connections need a clock that goes on
	trees   sources.Trees    // nil: none
	sync    *exchange.Served // whose store is that of the server, if it has none; nil: no remotes
	quick   bool             // answers are not compared with the document, which takes longer than they do
}

func start(t testing.TB) *server { return startWith(t, options{}) }

func startWith(t testing.TB, o options) *server {
	t.Helper()
	if o.now == nil {
		o.now = noon
	}
	s := &server{t: t, engine: enginetest.Open(t, enginetest.Options{Backend: o.backend, Config: engine.Config{Now: o.now}}), log: &bytes.Buffer{}}
	open := func(context.Context) (*engine.Engine, error) { return s.engine, o.opening }
	if o.sync != nil && o.sync.Store == nil {
		o.sync.Store = func(context.Context) (*store.Store, error) { return s.engine.Store, nil }
	}
	s.routes = restapi.Routes(open, &restapi.Options{
		Namespaces: memory.NewNamespaceAdmin(open), Version: "v1.2.3", Store: "memory:", Trees: o.trees, Sync: o.sync, Now: o.now, Log: slog.New(slog.NewTextHandler(&lockedWriter{w: s.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	mux := http.NewServeMux()
	for _, r := range s.routes {
		mux.Handle(r.Pattern, r.Handler)
	}
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scope := hippo.LocalScope("")
		if text := r.Header.Get(scopeHeader); text != "" {
			if err := json.Unmarshal([]byte(text), &scope); err != nil {
				t.Error(err)
			}
		}
		mux.ServeHTTP(w, r.WithContext(httpd.WithCaller(r.Context(), httpd.Caller{Name: "test", Scope: scope})))
	})
	if o.quick {
		return s
	}
	document, err := load(s.do(http.MethodGet, "/openapi.json", "").body)
	if err != nil {
		t.Fatal(err)
	}
	s.document = document
	return s
}

// loaded is the document as it was parsed: it is the same of all servers.
var loaded struct {
	sync.Mutex
	text     string
	document *openapi3.T
}

func load(text []byte) (*openapi3.T, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.text == string(text) {
		return loaded.document, nil
	}
	d, err := openapi3.NewLoader().LoadFromData(text)
	if err == nil {
		loaded.text, loaded.document = string(text), d
	}
	return d, err
}

// lockedWriter is a writer that several goroutines use.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// scopeHeader holds the scope of the caller as JSON; without it, it is that of the owner.
const scopeHeader = "Test-Scope"

// asScope returns the header of requests of a caller.
func asScope(scope hippo.Scope) []string {
	b, err := json.Marshal(scope)
	if err != nil {
		panic(err)
	}
	return []string{scopeHeader, string(b)}
}

// response is a response that was read.
type response struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// do sends a request, with headers as names and values, and checks the response against the document.
func (s *server) do(method, path, body string, header ...string) *response {
	s.t.Helper()
	r := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	got := &response{s.t, w.Code, w.Header(), w.Body.Bytes()}
	if err := s.conforms(r, got); err != nil {
		s.t.Errorf("%s %s: %d %s: %v", method, path, w.Code, w.Body, err)
	}
	return got
}

// conforms reports in what a response differs from the document.
func (s *server) conforms(r *http.Request, got *response) error {
	if s.document == nil {
		return nil
	}
	if got.status >= http.StatusBadRequest && got.header.Get("Content-Type") != "application/problem+json" {
		return fmt.Errorf("the type is %q", got.header.Get("Content-Type"))
	}
	operation, path := s.operation(r)
	if got.status == http.StatusTemporaryRedirect { // the mux of this fixture, to the clean path; httpd gives it the form of failures
		return nil
	}
	if operation == nil { // a path that there is not
		var v any
		if err := json.Unmarshal(got.body, &v); err != nil {
			return err
		}
		return s.document.Components.Schemas["Problem"].Value.VisitJSON(v, openapi3.EnableJSONSchema2020())
	}
	ref := operation.Responses.Status(got.status)
	if ref == nil && got.status < http.StatusBadRequest {
		return fmt.Errorf("status %d is not in the document", got.status)
	}
	return openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: r, Route: &routers.Route{Spec: s.document, Path: path, PathItem: s.document.Paths.Value(path), Method: r.Method, Operation: operation},
		},
		Status: got.status, Header: got.header, Body: io.NopCloser(bytes.NewReader(got.body)), Options: &openapi3filter.Options{MultiError: true},
	})
}

// operation returns the operation of the document that a request is for; nil for none.
func (s *server) operation(r *http.Request) (operation *openapi3.Operation, path string) {
	mux := http.NewServeMux()
	for _, route := range s.routes {
		mux.Handle(route.Pattern, route.Handler)
	}
	_, pattern := mux.Handler(r)
	method, path, _ := strings.Cut(pattern, " ")
	if item := s.document.Paths.Value(path); item != nil {
		operation = item.GetOperation(method)
	}
	return operation, path
}

// want checks the status.
func (r *response) want(status int) *response {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// into decodes the body.
func (r *response) into(v any) *response {
	r.t.Helper()
	if err := json.Unmarshal(r.body, v); err != nil {
		r.t.Fatalf("%v: %s", err, r.body)
	}
	return r
}

// problem is an error of the interface.
type problem struct {
	Type, Title, Detail, Code, Field string
	Status                           int
}

// failed checks the error.
func (r *response) failed(status int, code, field string) problem {
	r.t.Helper()
	var p problem
	r.want(status).into(&p)
	if p.Code != code || p.Field != field || p.Status != status || p.Type != "about:blank" || p.Title != http.StatusText(status) || p.Detail == "" {
		r.t.Errorf("got %+v, want code %q and field %q", p, code, field)
	}
	return p
}

// stored is what tests read of a memory.
type stored struct {
	UUID      string
	Content   string
	Situation []string
	Tags      []string
	Version   int
	Project   string
	Pinned    bool
	Metadata  map[string]any
	Forgotten string `json:"forgotten_at"`
	Source    struct{ Kind, Author string }
}

// record records a memory and returns it.
func (s *server) record(body string, header ...string) stored {
	s.t.Helper()
	var out struct{ Insight stored }
	s.do(http.MethodPost, "/memories", body, header...).want(http.StatusCreated).into(&out)
	return out.Insight
}

// contents returns the contents that a search or a list returned.
func (r *response) contents() (list []string) {
	r.t.Helper()
	var out struct {
		Insights []stored
		Results  []struct{ Insight stored }
	}
	r.want(http.StatusOK).into(&out)
	for _, m := range out.Insights {
		list = append(list, m.Content)
	}
	for _, h := range out.Results {
		list = append(list, h.Insight.Content)
	}
	return list
}
