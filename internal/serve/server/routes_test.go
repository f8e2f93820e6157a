package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/oauth/oauthtest"
	"github.com/hippo-memory/hippo/internal/serve/server"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// openToEveryone are the routes that need no token: probes, and what a browser needs before it has a session.
func openToEveryone() []string {
	return []string{
		"GET /healthz", "GET /readyz", "GET /api/health", "GET /ui/static/{name}", "GET /ui/enter/{key}", "POST /ui/login",
		"GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-protected-resource/{path...}",
	}
}

// needsNothing reports whether a route changes only the session of its browser.
func needsNothing(pattern string) bool {
	return pattern == "POST /ui/theme" || pattern == "POST /ui/logout"
}

// hiddenText is in a memory that no caller of another namespace may see a part of.
const hiddenText = "heliotrope orchard quince4711"

// guarded is a server with all routes over a store with one memory, and the texts of tokens by name.
type guarded struct {
	t      *testing.T
	server *httpd.Server
	routes []httpd.Route
	engine *engine.Engine
	id     hippo.ID
	tokens map[string]string
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	now := time.Now()
	clock := func() time.Time { return now }
	e, err := app.Open(t.Context(), config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.NoModel}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	m, err := memory.Record(t.Context(), e.In(hippo.LocalScope("")), &hippo.Memory{
		Content: hiddenText, Tags: []string{"orchard"}, Project: "heliotrope", Importance: hippo.Importance{Base: .5},
	})
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{t: t, engine: e, id: m.ID, tokens: map[string]string{"none": "", "wrong": token.Prefix + strings.Repeat("0", 64)}}
	file := token.NewFile(config.TokensPath(os.Getenv), clock)
	for _, x := range []token.Token{
		{Name: "reader", Right: token.Read},
		{Name: "writer", Right: token.Write},
		{Name: "admin", Right: token.Admin},
		{Name: "scraper", Right: token.Metrics},
		{Name: "syncer", Right: token.Sync},
		{Name: "foreign", Right: token.Admin, Namespace: "other"},
		{Name: "elsewhere", Right: token.Admin, Projects: []string{"other"}},
		{Name: "expired", Right: token.Admin, Expires: now.Add(time.Minute)},
		{Name: "revoked", Right: token.Admin},
	} {
		if g.tokens[x.Name], err = file.Create(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Revoke(t.Context(), "", "revoked"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	issuer := g.issue(clock)
	g.routes = server.Routes(clock, func(context.Context) (*engine.Engine, error) { return e, nil }, file, issuer)
	g.server = httpd.New(g.routes, httpd.Options{Tokens: server.TokenAuthenticator(file, issuer), Now: clock, Limits: httpd.Limits{Rate: 1e6}})
	return g
}

// issue adds the tokens of an issuer of OAuth, whose names begin with jwt, and returns who verifies them.
func (g *guarded) issue(clock func() time.Time) *oauth.Verifier {
	g.t.Helper()
	i := oauthtest.New()
	g.t.Cleanup(i.Close)
	const audience = "https://localhost/mcp"
	v, err := oauth.New(oauth.Options{Issuer: i.URL, Audiences: []string{audience}, NamespaceClaim: "tenant", Now: clock})
	if err != nil {
		g.t.Fatal(err)
	}
	good := map[string]any{"iss": i.URL, "aud": audience, "sub": "ann", "exp": clock().Add(time.Hour).Unix(), "scope": "admin", "tenant": ""}
	for name, with := range map[string]map[string]any{
		"reader": {"scope": "read"}, "writer": {"scope": "write"}, "admin": nil, "scraper": {"scope": "metrics"}, "foreign": {"tenant": "other"},
		"expired": {"exp": clock().Add(-time.Hour).Unix()}, "audience": {"aud": "https://elsewhere"}, "issuer": {"iss": "https://evil.example.org"},
	} {
		g.tokens["jwt "+name] = i.Token("first", good, with)
	}
	g.tokens["jwt forged"] = oauthtest.Sign(oauthtest.NewKey("ES256"), "first", "at+jwt", good, nil)
	return v
}

// request sends what a pattern matches, with a body that every front end can read.
func (g *guarded) request(pattern, name string) *httptest.ResponseRecorder {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		method, path = http.MethodGet, pattern
	}
	path = strings.ReplaceAll(path, "{$}", "")
	path = regexp.MustCompile(`\{id[^}]*\}`).ReplaceAllString(path, g.id.String())
	path = regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "x")
	ctx, cancel := context.WithTimeout(g.t.Context(), 200*time.Millisecond) // a stream would not end
	defer cancel()
	body := `{"query":"orchard","tags":["orchard"],"content":"` + g.id.String() + `","ids":["` + g.id.String() + `"]}`
	r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	r.RemoteAddr = name + ":1" // each with failures of its own
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if text := g.tokens[name]; text != "" {
		r.Header.Set("Authorization", "Bearer "+text)
	}
	w := httptest.NewRecorder()
	g.server.ServeHTTP(w, r)
	return w
}

// Every route, with every kind of token: nothing is open that is not named, no token does more than its right, and
// another namespace or project is not there.
func TestRoutes_Access(t *testing.T) {
	g := newGuarded(t)
	if len(g.routes) < 60 {
		t.Fatalf("only %d routes", len(g.routes))
	}
	before := g.state()
	for _, route := range g.routes {
		isOpen := slices.Contains(openToEveryone(), route.Pattern)
		for _, name := range []string{"wrong", "expired", "revoked", "jwt expired", "jwt audience", "jwt issuer", "jwt forged"} {
			if w := g.request(route.Pattern, name); w.Code != http.StatusUnauthorized && w.Code != http.StatusTooManyRequests {
				t.Errorf("%s with a token that is %s: %d", route.Pattern, name, w.Code)
			}
		}
		if w := g.request(route.Pattern, "none"); !isOpen && w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "orchard") {
			t.Errorf("%s without a token: %d", route.Pattern, w.Code)
		}
		for _, name := range []string{"foreign", "elsewhere", "scraper", "jwt foreign", "jwt scraper"} {
			w := g.request(route.Pattern, name)
			refused := strings.HasSuffix(name, "scraper") == (route.Rights != hippo.RightMetrics) // metrics are of all scopes together
			if refused && !isOpen && !needsNothing(route.Pattern) && w.Code != http.StatusForbidden {
				t.Errorf("%s with %s: %d, want 403", route.Pattern, name, w.Code)
			}
			if strings.Contains(w.Body.String(), "heliotrope") || strings.Contains(w.Body.String(), "quince4711") {
				t.Errorf("%s shows a memory to %s:\n%.300s", route.Pattern, name, w.Body)
			}
		}
		if w := g.request(route.Pattern, "syncer"); route.Rights != hippo.RightSync && !isOpen && !needsNothing(route.Pattern) && w.Code != http.StatusForbidden {
			t.Errorf("%s with the right to sync: %d, want 403", route.Pattern, w.Code)
		}
		for _, name := range []string{"reader", "jwt reader"} {
			w := g.request(route.Pattern, name)
			if writes := route.Rights&^hippo.RightRead != 0 || strings.HasPrefix(route.Pattern, "POST /ui/"); writes && !isOpen && w.Code != http.StatusForbidden && !needsNothing(route.Pattern) {
				t.Errorf("%s with the right to read, %s: %d", route.Pattern, name, w.Code)
			}
		}
	}
	if after := g.state(); after != before {
		t.Errorf("callers without the right changed the memory:\n%s\n%s", before, after)
	}
}

// A token reaches what it allows: without this test, a server that refuses everything would pass the one above.
func TestRoutes_Reach(t *testing.T) {
	g := newGuarded(t)
	for pattern, names := range map[string][]string{
		"GET /api/v1/memories": {"reader", "writer", "admin", "foreign", "jwt reader", "jwt writer", "jwt admin", "jwt foreign"}, "GET /api/v1/memories/{id}": {"reader", "admin", "jwt reader"}, "GET /api/memories/{id}": {"reader", "admin"},
		"GET /{$}": {"reader", "admin"}, "GET /ui/memory/{id}": {"reader", "admin"}, "GET /api/stats": {"reader", "foreign"}, "GET /metrics": {"admin", "scraper", "jwt admin", "jwt scraper"}, "GET /.well-known/oauth-protected-resource": {"none"}, "GET /healthz": {"none"}, "GET /readyz": {"none"},
	} {
		for _, name := range names {
			if w := g.request(pattern, name); w.Code != http.StatusOK {
				t.Errorf("%s with %s: %d %.200s", pattern, name, w.Code, w.Body)
			}
		}
	}
	for _, name := range []string{"foreign", "elsewhere", "jwt foreign"} {
		for _, pattern := range []string{"GET /api/v1/memories/{id}", "GET /api/memories/{id}", "GET /ui/memory/{id}"} {
			if w := g.request(pattern, name); w.Code != http.StatusNotFound {
				t.Errorf("%s with %s: %d, want 404", pattern, name, w.Code)
			}
		}
	}
}

// The route of remote stores with every kind of token: what a client may do with all rights claimed is what its token
// allows.
func TestRoutes_RemoteStore(t *testing.T) {
	g := newGuarded(t)
	before := g.state()
	ctx := t.Context()
	for holder, text := range g.tokens {
		name := strings.TrimPrefix(holder, "jwt ")
		c := remote.NewClient(remote.ClientOptions{Address: "http://localhost", Token: secret.New(text), Transport: inProcess{g.server, holder}})
		for _, namespace := range []string{"", "other"} {
			scope := hippo.LocalScope("heliotrope")
			scope.Namespace = namespace
			m := engine.NewRemote(c, &engine.Config{Now: time.Now}, time.UTC).In(scope)
			sees := slices.Contains([]string{"reader", "writer", "admin"}, name) && namespace == ""
			if _, err := memory.Get(ctx, m, []hippo.ID{g.id}); (err == nil) != sees {
				t.Errorf("%s in %q reads the memory: %v", holder, namespace, err)
			}
			list, err := memory.List(ctx, m, api.List{})
			if found := err == nil && list.Total > 0; found != sees {
				t.Errorf("%s in %q counts it: %+v, %v", holder, namespace, list, err)
			}
			exported := false
			for x, err := range transfer.New(m).Export(ctx) {
				exported = exported || err == nil && x.ID == g.id
			}
			if exported != sees {
				t.Errorf("%s in %q exports it: %v", holder, namespace, exported)
			}
			if sees && name != "reader" { // the others below must change nothing
				continue
			}
			text := "changed"
			_, modified := memory.Modify(ctx, m, g.id, api.Change{Content: &text})
			_, voted := memory.Reinforce(ctx, m, nil, []hippo.ID{g.id})
			_, forgot := memory.Forget(ctx, m, []hippo.ID{g.id})
			for verb, err := range map[string]error{"modifies": modified, "votes": voted, "forgets": forgot, "purges": memory.Purge(ctx, m, []hippo.ID{g.id})} {
				if err == nil || strings.Contains(err.Error(), "quince4711") {
					t.Errorf("%s in %q %s it: %v", holder, namespace, verb, err)
				}
			}
			if name == "reader" {
				if _, err := memory.Record(ctx, m, &hippo.Memory{Content: "new"}); !errors.Is(err, hippo.ErrForbidden) {
					t.Errorf("a reader records: %v", err)
				}
			}
		}
	}
	if after := g.state(); after != before {
		t.Errorf("callers without the right changed the memory:\n%s\n%s", before, after)
	}
}

// inProcess answers requests from an address without a network.
type inProcess struct {
	server *httpd.Server
	from   string
}

// RoundTrip implements [http.RoundTripper].
func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.RemoteAddr = h.from + ":1"
	h.server.ServeHTTP(w, r)
	return w.Result(), nil
}

// state is what the memory says, without its use, and how many there are beside those of the project "other", in which a token for that
// may record.
func (g *guarded) state() string {
	ms, err := memory.Get(g.t.Context(), g.engine.In(hippo.LocalScope("")), []hippo.ID{g.id})
	if err != nil {
		g.t.Fatal(err)
	}
	all, err := memory.List(g.t.Context(), g.engine.In(hippo.LocalScope("")), api.List{Count: 100})
	if err != nil {
		g.t.Fatal(err)
	}
	count := 0
	for _, m := range all.Memories {
		if m.Project != "other" {
			count++
		}
	}
	m := ms[0]
	return strings.Join([]string{m.Content, strings.Join(m.Tags, ","), m.Type, m.UpdatedAt.String(), m.ForgottenAt.String(), strconv.Itoa(count)}, "\n")
}
