package shodh_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/shodh"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// server is the interface over a store in RAM, on 1 March 2026.
type server struct {
	t      testing.TB
	mux    *http.ServeMux
	engine *engine.Engine
	doc    document
	log    *syncBuffer
	slow   time.Duration // of a write

	mu  sync.Mutex
	now time.Time
}

// owner is who may do everything in the default namespace.
func owner() hippo.Scope { return hippo.LocalScope("") }

func start(t testing.TB) *server { t.Helper(); return startWith(t, loadDocument(t)) }

// startWith starts it with a document that is loaded already.
func startWith(t testing.TB, doc document) *server {
	t.Helper()
	s := &server{t: t, doc: doc, log: &syncBuffer{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s.engine = s.newEngine()
	s.serve(func(context.Context) (*engine.Engine, error) { return s.engine, nil })
	return s
}

// newEngine returns an engine on a store in RAM of which some parts are degraded.
func (s *server) newEngine(degraded ...string) *engine.Engine {
	s.t.Helper()
	models := []embedding.Model{{Embedder: embedtest.NewWords("words"), Instant: true}}
	e := enginetest.Open(s.t, enginetest.Options{Backend: slowBackend{memstore.New(nil), s.slow}, Config: engine.Config{Now: s.clock, Models: models, Degraded: degraded}})
	if err := e.Ready(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return e
}

// slowBackend is a store whose writes take time.
type slowBackend struct {
	driver.Backend
	wait time.Duration
}

func (b slowBackend) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	time.Sleep(b.wait) // 0, or in a bubble of synctest
	return b.Backend.Write(ctx, d, fn)
}

// serve hangs the routes on a mux.
func (s *server) serve(open httpd.Opener) {
	s.mux = http.NewServeMux()
	for _, r := range shodh.Routes(open, &shodh.Options{Now: s.clock, Log: slog.New(slog.NewTextHandler(s.log, nil)), Database: "memory", Version: "v1.2.3"}) {
		s.mux.Handle(r.Pattern, r.Handler)
	}
}

func (s *server) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *server) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// answer is what a request was answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get returns a value of the answer by its path; a number is the index of an element.
func (a *answer) get(path ...any) any {
	var v any
	if json.Unmarshal(a.body, &v) != nil {
		return nil
	}
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func (a *answer) text(path ...any) string { s, _ := a.get(path...).(string); return s }

func (a *answer) count(path ...any) int { n, _ := a.get(path...).(float64); return int(n) }

// as sends a request with a body, which may be text or a value, and checks the answer against the document.
func (s *server) as(scope hippo.Scope, method, path string, body any) *answer {
	s.t.Helper()
	r, raw := newRequest(s.t, method, path, body)
	r = r.WithContext(httpd.WithCaller(r.Context(), httpd.Caller{Name: "test", Scope: scope}))
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, r)
	a := &answer{w.Code, w.Header(), w.Body.Bytes()}
	if r.Pattern == "" {
		s.t.Fatalf("%s %s: no route", method, path)
	}
	if err := s.doc.checkAnswer(r, a); err != nil {
		s.t.Errorf("%s %s %.200s: the answer %d %s does not conform: %v", method, path, raw, a.status, a.body, err)
	}
	return a
}

// send is as for the owner.
func (s *server) send(method, path string, body any) *answer {
	s.t.Helper()
	return s.as(owner(), method, path, body)
}

// must is send for a request that conforms to the document and must be answered with a status.
func (s *server) must(status int, method, path string, body any) *answer {
	s.t.Helper()
	a := s.send(method, path, body)
	if a.status != status {
		s.t.Fatalf("%s %s %v: got %d %s, want %d", method, path, body, a.status, a.body, status)
	}
	r, raw := newRequest(s.t, method, path, body)
	_, r.Pattern = s.mux.Handler(r)
	if i := strings.LastIndex(path, "/"); strings.Contains(r.Pattern, "{id}") {
		r.SetPathValue("id", path[i+1:])
	}
	if err := s.doc.checkRequest(r, raw); err != nil {
		s.t.Errorf("%s %s %s: the request does not conform: %v", method, path, raw, err)
	}
	return a
}

// remember stores a memory and returns its ID.
func (s *server) remember(body object) string {
	s.t.Helper()
	return s.must(http.StatusCreated, "POST", "/api/remember", body).text("id")
}

type object = map[string]any

func newRequest(t testing.TB, method, path string, body any) (*http.Request, []byte) {
	t.Helper()
	var raw []byte
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	default:
		var err error
		if raw, err = json.Marshal(b); err != nil {
			t.Fatal(err)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(raw))
	r.Header.Set("Content-Type", "application/json")
	return r, raw
}

// syncBuffer is a buffer that several goroutines may write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// recorded serves a request.
func recorded(h http.Handler, r *http.Request) *answer {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return &answer{w.Code, w.Header(), w.Body.Bytes()}
}

// hashOf is the content hash of a text.
func hashOf(text string) string { h := hippo.HashContent(text); return hex.EncodeToString(h[:]) }

func list(v any) []any { l, _ := v.([]any); return l }

// contents returns the contents of the memories of an answer.
func contents(a *answer) (out []string) {
	for i := range list(a.get("memories")) {
		out = append(out, a.text("memories", i, "content"))
	}
	return out
}

// without returns an object without some keys.
func without(v any, names ...string) any {
	m, _ := v.(map[string]any)
	for _, name := range names {
		delete(m, name)
	}
	return m
}

// split returns the method and the path of a pattern.
func split(pattern string) (method, path string) {
	method, path, _ = strings.Cut(pattern, " ")
	return method, path
}

// fuzzed sends a request whose parts are any text, and checks the answer; nil if it does not reach an operation.
func (s *server) fuzzed(method, path, id, query, body string) *answer {
	r, raw := newRequest(s.t, method, "/", body)
	r.URL.Path = strings.ReplaceAll(path, "{id}", strings.ReplaceAll(id, "/", ""))
	r.URL.RawQuery = query
	r = r.WithContext(httpd.WithCaller(r.Context(), httpd.Caller{Scope: owner()}))
	a := recorded(s.mux, r)
	if r.Pattern == "" || a.status == http.StatusTemporaryRedirect || a.status == http.StatusMovedPermanently {
		return nil // the mux cleans paths
	}
	if err := s.doc.checkAnswer(r, a); err != nil {
		s.t.Errorf("%s %s?%s %.200s: the answer %d %s does not conform: %v", method, r.URL.Path, query, raw, a.status, a.body, err)
	}
	return a
}
