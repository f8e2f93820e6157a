package httpd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// tokens maps the text of a token to its rights.
type tokens map[string]hippo.Rights

func (t tokens) Authenticate(text string) (httpd.Caller, bool) {
	r, ok := t[text]
	return httpd.Caller{Name: "of " + text, Scope: hippo.Scope{Rights: r}}, ok
}

var known = tokens{"reader": hippo.RightRead, "writer": hippo.RightRead | hippo.RightWrite, "admin": hippo.AllRights}

// echo answers with the name of the caller and the body.
func echo(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	_, _ = io.WriteString(w, httpd.CallerOf(r.Context()).Name+": "+string(b))
}

func routes() []httpd.Route {
	return []httpd.Route{
		{Pattern: "GET /open", Handler: http.HandlerFunc(echo)},
		{Pattern: "GET /read", Rights: hippo.RightRead, Handler: http.HandlerFunc(echo)},
		{Pattern: "POST /write", Rights: hippo.RightWrite, MaxBody: 100, Handler: http.HandlerFunc(echo)},
		{Pattern: "GET /admin", Rights: hippo.RightAdmin, Handler: http.HandlerFunc(echo)},
		{Pattern: "GET /panic", Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a secret text") })},
		{Pattern: "GET /stream", Rights: hippo.RightRead, Stream: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "first\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			_, _ = io.WriteString(w, "last\n")
		})},
	}
}

func do(s *httpd.Server, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestServer_Rights(t *testing.T) {
	t.Parallel()
	s := httpd.New(routes(), httpd.Options{Tokens: known})
	for _, c := range []struct {
		method, path string
		want         map[string]int // by token; "" is none
	}{
		{"GET", "/open", map[string]int{"": 200, "wrong": 401, "reader": 200, "writer": 200, "admin": 200}},
		{"GET", "/read", map[string]int{"": 401, "wrong": 401, "reader": 200, "writer": 200, "admin": 200}},
		{"POST", "/write", map[string]int{"": 401, "wrong": 401, "reader": 403, "writer": 200, "admin": 200}},
		{"GET", "/admin", map[string]int{"": 401, "wrong": 401, "reader": 403, "writer": 403, "admin": 200}},
		{"POST", "/read", map[string]int{"": 405, "admin": 405}},
		{"GET", "/none", map[string]int{"": 404, "admin": 404}},
	} {
		for token, want := range c.want {
			forms := [][]string{{"Authorization", "Bearer " + token}, {"authorization", "bearer  " + token}, {"X-API-Key", token}}
			if token == "" {
				forms = [][]string{nil}
			}
			for _, header := range forms {
				w := do(s, c.method, c.path, "", header...)
				if w.Code != want {
					t.Errorf("%s %s with %q: got %d, want %d", c.method, c.path, header, w.Code, want)
				}
				if w.Code == http.StatusOK && w.Body.String() != strings.TrimSuffix("of "+token, "of ")+": " {
					t.Errorf("%s %s with %q: the caller is %q", c.method, c.path, header, w.Body)
				}
				if challenge := w.Header().Get("WWW-Authenticate"); (w.Code == 401) != strings.HasPrefix(challenge, "Bearer") && w.Code != 403 {
					t.Errorf("%s %s with %q: %d with the challenge %q", c.method, c.path, header, w.Code, challenge)
				}
			}
		}
	}
}

// A client learns from a refusal where it gets a token, and which scopes to ask for.
func TestServer_Challenge(t *testing.T) {
	t.Parallel()
	const metadata = "https://memory.example.org/.well-known/oauth-protected-resource"
	for _, c := range []struct{ metadata, path, key, want string }{
		{"", "/read", "", `Bearer realm="hippo"`},
		{"", "/admin", "reader", `Bearer realm="hippo", error="insufficient_scope"`},
		{metadata, "/read", "", `Bearer realm="hippo", scope="read write", resource_metadata="` + metadata + `"`},
		{metadata, "/read", "wrong", `Bearer realm="hippo", error="invalid_token", scope="read write", resource_metadata="` + metadata + `"`},
		{metadata, "/admin", "reader", `Bearer realm="hippo", error="insufficient_scope", scope="admin", resource_metadata="` + metadata + `"`},
	} {
		s := httpd.New(routes(), httpd.Options{Tokens: known, Metadata: c.metadata})
		var header []string
		if c.key != "" {
			header = []string{"X-API-Key", c.key}
		}
		if got := do(s, "GET", c.path, "", header...).Header().Get("WWW-Authenticate"); got != c.want {
			t.Errorf("%s with %q: got %s, want %s", c.path, c.key, got, c.want)
		}
	}
}

// Broken forms of a token are those of nobody.
func TestServer_BrokenTokens(t *testing.T) {
	t.Parallel()
	s := httpd.New(routes(), httpd.Options{Tokens: tokens{"reader": hippo.RightRead, "": hippo.AllRights, "a b": hippo.AllRights}})
	for _, header := range [][]string{
		{"Authorization", ""},
		{"Authorization", "Bearer"},
		{"Authorization", "Bearer "},
		{"Authorization", "reader"},
		{"Authorization", "Basic reader"},
		{"Authorization", "Bearer reader\x00"},
		{"Authorization", "Bearer rêader"},
		{"Authorization", "Bearer a b"},
		{"X-API-Key", ""},
		{"X-API-Key", "reader "},
		{"Authorization", "Bearer reader", "X-API-Key", "a b"},
		{"X-API-Key", "reader", "X-API-Key", "other"},
		{"Authorization", "Bearer " + strings.Repeat("x", 9000)},
	} {
		if w := do(s, "GET", "/read", "", header...); w.Code != http.StatusUnauthorized && w.Code != http.StatusTooManyRequests {
			t.Errorf("%.60q: got %d", header, w.Code)
		}
	}
}

func problem(t *testing.T, w *httptest.ResponseRecorder) httpd.Problem {
	t.Helper()
	var p httpd.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" || p.Status != w.Code {
		t.Fatalf("%d %q is no problem: %v", w.Code, w.Body, err)
	}
	return p
}

func TestServer_Problems(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := httpd.New(routes(), httpd.Options{Tokens: known, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if p := problem(t, do(s, "GET", "/panic", "")); p.Status != 500 || strings.Contains(p.Detail, "secret") {
		t.Errorf("got %+v", p)
	}
	if w := do(s, "POST", "/write", strings.Repeat("x", 101), "X-API-Key", "writer"); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: got %d", w.Code)
	}
	if w := do(s, "PUT", "/write", "", "X-API-Key", "writer"); problem(t, w).Status != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("got %v", w.Header())
	}
	for _, method := range []string{"GET", "POST"} {
		if w := do(s, method, "/./open", ""); problem(t, w).Status != http.StatusTemporaryRedirect || w.Header().Get("Location") != "/open" {
			t.Errorf("%s of a path written in another way: got %d, %v", method, w.Code, w.Header())
		}
	}
	do(s, "GET", "/read?q=private", "", "X-API-Key", "reader")
	if text := log.String(); strings.Contains(text, "a secret text") || strings.Contains(text, "private") || !strings.Contains(text, `route="GET /read"`) || !strings.Contains(text, "of reader") {
		t.Errorf("the log is %s", text)
	}
}

// Pages of other sites get nothing, by whatever name they reach the server.
func TestServer_OtherSites(t *testing.T) {
	t.Parallel()
	s := httpd.New(routes(), httpd.Options{Tokens: known, Hosts: []string{"memory.example.org"}})
	for _, c := range []struct {
		want   int
		header []string
	}{
		{200, nil},
		{200, []string{"Host", "127.0.0.1:80"}},
		{200, []string{"Host", "[::1]:80"}},
		{200, []string{"Host", "[::1]"}},
		{200, []string{"Host", "LOCALHOST."}},
		{200, []string{"Host", "memory.example.org:443"}},
		{403, []string{"Host", "evil.example.org"}},
		{403, []string{"Host", "localhost.evil.example.org"}},
		{403, []string{"Host", ""}},
		{200, []string{"Origin", "http://localhost"}},
		{403, []string{"Origin", "http://evil.example.org"}},
		{403, []string{"Origin", "null"}},
		{403, []string{"Origin", "http://localhost:81"}},
		{403, []string{"Origin", "http://localhost", "Origin", "http://evil.example.org"}},
	} {
		if w := do(s, "GET", "/open", "", c.header...); w.Code != c.want {
			t.Errorf("%q: got %d, want %d", c.header, w.Code, c.want)
		}
	}
	if w := do(s, "POST", "/write", "", "X-API-Key", "writer", "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden {
		t.Errorf("a form of another site: got %d", w.Code)
	}
}

func TestServer_Limits(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	s := httpd.New(routes(), httpd.Options{Tokens: known, Limits: httpd.Limits{Rate: 2}, Now: func() time.Time { return now }})
	count := func(n int, header ...string) (codes map[int]int) {
		codes = make(map[int]int)
		for range n {
			w := do(s, "GET", "/read", "", header...)
			codes[w.Code]++
			if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
				t.Error("it does not say when to try again")
			}
		}
		return codes
	}
	if got := count(10, "X-API-Key", "reader"); got[200] != 5 || got[429] != 5 {
		t.Errorf("got %v", got)
	}
	if got := count(1, "X-API-Key", "writer"); got[200] != 1 {
		t.Errorf("another token: got %v", got)
	}
	if got := count(30, "X-API-Key", "wrong"); got[401] != 20 || got[429] != 10 {
		t.Errorf("wrong tokens: got %v", got)
	}
	now = now.Add(time.Second)
	if got := count(3, "X-API-Key", "reader"); got[200] != 2 {
		t.Errorf("a second later: got %v", got)
	}
}

// Shutdown ends streams in order, and waits for requests.
func TestServer_Shutdown(t *testing.T) {
	t.Parallel()
	release, entered := make(chan struct{}), make(chan struct{})
	slow := httpd.Route{Pattern: "GET /slow", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-release
		_, _ = io.WriteString(w, "done")
	})}
	s := httpd.New(append(routes(), slow), httpd.Options{Tokens: known})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	get := func(path string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", "reader")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return &http.Response{Body: http.NoBody}
		}
		return resp
	}
	stream := get("/stream")
	defer func() { _ = stream.Body.Close() }()
	lines := bufio.NewScanner(stream.Body)
	if !lines.Scan() || lines.Text() != "first" {
		t.Fatal("the stream does not begin")
	}
	slowly := make(chan string, 1)
	go func() {
		resp := get("/slow")
		b, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		slowly <- string(b)
	}()
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	if !lines.Scan() || lines.Text() != "last" {
		t.Error("the stream was cut")
	}
	close(release)
	if got := <-slowly; got != "done" {
		t.Errorf("the request under way got %q", got)
	}
	if err := errors.Join(<-ended, <-served); err != nil {
		t.Error(err)
	}
}

// A server that is about to shut down says so to probes, and answers everything else until it does.
func TestServer_Drain(t *testing.T) {
	t.Parallel()
	s := httpd.New(append(routes(), httpd.Health(func(context.Context) (*engine.Engine, error) { return nil, nil })...), httpd.Options{Tokens: known})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	check := func(when, path string, want int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s %s: got %d, want %d", when, path, resp.StatusCode, want)
		}
	}
	check("before", "/readyz", 200)
	s.Drain()
	check("draining", "/readyz", 503)
	check("draining", "/healthz", 200)
	check("draining", "/open", 200)
	if err := errors.Join(s.Shutdown(t.Context()), <-served); err != nil {
		t.Error(err)
	}
}

// FuzzAuthorization: no header of any form gives rights that its token does not have.
func FuzzAuthorization(f *testing.F) {
	for _, v := range []string{"", "Bearer reader", "bearer  reader", "Basic reader", "Bearer", "Bearer reader, Bearer admin"} {
		f.Add(v, "")
	}
	f.Add("", "reader")
	s := httpd.New(routes(), httpd.Options{Tokens: known, Limits: httpd.Limits{Rate: 1e9}})
	f.Fuzz(func(t *testing.T, authorization, key string) {
		var header []string
		if authorization != "" {
			header = append(header, "Authorization", authorization)
		}
		if key != "" {
			header = append(header, "X-API-Key", key)
		}
		w := do(s, "GET", "/admin", "", header...)
		asBearer := strings.EqualFold(strings.SplitN(authorization+" ", " ", 2)[0], "bearer") && strings.HasSuffix(authorization, " admin")
		asAdmin := (key == "admin" || key == "") && (asBearer || authorization == "")
		if w.Code == http.StatusOK && !asAdmin {
			t.Errorf("%q %q: got %d", authorization, key, w.Code)
		}
	})
}

// The callers of a namespace share its requests, and a limit that changes counts at once.
func TestServer_Quota(t *testing.T) {
	t.Parallel()
	now, most := time.Unix(0, 0), 60
	s := httpd.New(routes(), httpd.Options{
		Tokens: known, Limits: httpd.Limits{Rate: 1e6}, Now: func() time.Time { return now }, Quota: func(context.Context, string) int { return most },
	})
	answered := func(n int, header ...string) (ok int) {
		for range n {
			if w := do(s, "GET", "/read", "", header...); w.Code == http.StatusOK {
				ok++
			} else if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "hippo tenant limit") {
				t.Errorf("refused with %d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
			}
		}
		return ok
	}
	if a, b := answered(50, "X-API-Key", "reader"), answered(50, "X-API-Key", "writer"); a != 50 || b != 10 {
		t.Errorf("%d and %d were answered", a, b)
	}
	now = now.Add(5 * time.Second)
	if got := answered(20, "X-API-Key", "reader"); got != 5 {
		t.Errorf("five seconds later %d were answered", got)
	}
	if most = 0; answered(100, "X-API-Key", "reader") != 100 {
		t.Error("without a limit some were refused")
	}
}
