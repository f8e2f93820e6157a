package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/server"
	"github.com/hippo-memory/hippo/internal/serve/token"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// shared is a server over a database with two namespaces, whose memories have the same IDs; the texts of one are hidden from the other.
type shared struct {
	t      *testing.T
	server *httpd.Server
	routes []httpd.Route
	tokens map[string]string // by namespace
	all    *app.Tenants
	id     hippo.ID
	now    time.Time
}

// The namespaces of a shared server: names that are easily taken for one another.
const secretive, curious = "acme", "Acme"

func newShared(t *testing.T) *shared {
	t.Helper()
	url := pgtest.URL(t)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	store, err := config.ParseStore(url)
	if err != nil {
		t.Fatal(err)
	}
	s := &shared{t: t, tokens: make(map[string]string), id: hippo.ID{1, 15: 7}, now: time.Now()}
	clock := func() time.Time { return s.now }
	s.all = app.NewTenants(config.Config{Store: store, Model: config.Model{Name: config.NoModel}}, &app.Options{Now: clock, Log: slog.New(slog.DiscardHandler)}, server.NamespaceOf, 0)
	t.Cleanup(func() {
		if err := s.all.Shut(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	file := token.NewFile(config.TokensPath(os.Getenv), clock)
	for _, namespace := range []string{secretive, curious, ""} {
		if s.tokens[namespace], err = file.Create(t.Context(), token.Token{Name: "t" + namespace, Right: token.Admin, Namespace: namespace}); err != nil {
			t.Fatal(err)
		}
	}
	s.routes = server.RoutesWith(clock, s.all.Engine, file, nil, s.all.Admin())
	s.server = httpd.New(s.routes, httpd.Options{Tokens: server.TokenAuthenticator(file, nil), Now: clock, Limits: httpd.Limits{Rate: 1e6}, Quota: s.all.RequestLimit})
	s.record(curious, s.id, "an orchard by the river", "garden", "Orla")
	s.hide(0)
	return s
}

// record records a memory, an entity and a relation in a namespace.
func (s *shared) record(namespace string, id hippo.ID, text, project, name string) {
	s.t.Helper()
	ctx := s.t.Context()
	e, err := s.all.Of(ctx, namespace)
	if err != nil {
		s.t.Fatal(err)
	}
	m := e.In(hippo.Scope{Namespace: namespace, Rights: hippo.AllRights})
	other := id
	other[14]++
	for _, m0 := range []*hippo.Memory{{ID: id, Content: text}, {ID: other, Content: text + " in May"}} {
		m0.Tags, m0.Project, m0.Namespace, m0.Importance, m0.Type, m0.Source = []string{project}, project, namespace, hippo.Importance{Base: .5}, project, hippo.Source{Author: project}
		if _, err := memory.Record(ctx, m, m0); err != nil {
			s.t.Fatal(err)
		}
	}
	if _, err := knowledge.Relate(ctx, m, []hippo.Relation{{From: id, To: other, Kind: project, Weight: 1}}); err != nil {
		s.t.Fatal(err)
	}
	if _, err := knowledge.AddEntity(ctx, m, knowledge.EntityDraft{Entity: hippo.Entity{Name: name, Kind: project}}); err != nil {
		s.t.Fatal(err)
	}
	if err := m.Flush(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// hide records what must not be seen, and changes and forgets some of it: the nth time.
func (s *shared) hide(n int) {
	s.t.Helper()
	id := s.id
	id[13] = byte(n)
	s.record(secretive, id, fmt.Sprintf("%s no. %d", hiddenText, n), "heliotrope", fmt.Sprintf("Quince4711 of House %d", n))
	e, err := s.all.Of(s.t.Context(), secretive)
	if err != nil {
		s.t.Fatal(err)
	}
	m := e.In(hippo.Scope{Namespace: secretive, Rights: hippo.AllRights})
	text := "changed " + hiddenText
	if _, err := memory.Modify(s.t.Context(), m, id, api.Change{Content: &text}); err != nil {
		s.t.Fatal(err)
	}
	id[14]++
	if _, err := memory.Forget(s.t.Context(), m, []hippo.ID{id}); err != nil {
		s.t.Fatal(err)
	}
}

// send sends a request with the token of a namespace.
func (s *shared) send(namespace, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Second) // a stream would not end
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	r.RemoteAddr = namespace + ":1"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+s.tokens[namespace])
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	return w
}

// hides fails if an answer has anything of the namespace that is hidden.
func (s *shared) hides(what string, w *httptest.ResponseRecorder) {
	s.t.Helper()
	text := strings.ToLower(w.Body.String() + fmt.Sprint(w.Header()))
	for _, word := range []string{"heliotrope", "quince4711"} { // no request has them
		if at := strings.Index(text, word); at >= 0 {
			s.t.Errorf("%s shows %q: %d %.500s", what, word, w.Code, text[max(0, at-200):])
		}
	}
}

// bodies are what a request may hold: what every front end can read, and attempts to name another namespace.
func (s *shared) bodies() []string {
	id := s.id.String()
	return []string{
		`{"query":"orchard","tags":["garden"],"content":"` + id + `","ids":["` + id + `"]}`,
		`{"query":"orchard house","user_id":"` + secretive + `","namespace":"` + secretive + `"}`,
		`{"query":"orchard","uuids":["` + id + `"],"uuid":"` + id + `","memory_id":"` + id + `","name":"House","entity":"House","limit":50}`,
	}
}

// path returns a path that a pattern matches.
func (s *shared) path(pattern string) (method, path string) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		method, path = http.MethodGet, pattern
	}
	path = strings.ReplaceAll(path, "{$}", "")
	path = regexp.MustCompile(`\{id[^}]*\}`).ReplaceAllString(path, s.id.String())
	return method, regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "house")
}

// With the token of one namespace, no route reveals anything of a namespace that has memories with the same IDs: no text, name or count, in
// answers or in errors.
func TestTenants_Routes(t *testing.T) {
	s := newShared(t)
	own := 0
	for _, route := range s.routes {
		method, path := s.path(route.Pattern)
		if method != http.MethodDelete { // it would delete what the others are asked for
			for _, body := range s.bodies() {
				for _, query := range []string{"", "?q=orchard&query=house&namespace=" + secretive + "&user_id=" + secretive} {
					w := s.send(curious, method, path+query, body)
					s.hides(route.Pattern+query+" "+body, w)
					if strings.Contains(w.Body.String(), "an orchard by the river") {
						own++
					}
				}
			}
		}
	}
	if own < 20 {
		t.Errorf("only %d answers have anything of the namespace that asks", own)
	}
}

// Reads of one namespace return the same answers before and after writes to another namespace.
func TestTenants_Counts(t *testing.T) {
	s := newShared(t)
	read := func() map[string]string {
		out := make(map[string]string)
		for _, route := range s.routes {
			method, path := s.path(route.Pattern)
			if method == http.MethodGet && !strings.Contains(path, "/static/") {
				out[path] = stable(s.send(curious, method, path, ""))
			}
		}
		return out
	}
	read() // it advances the active day, and counts itself
	s.now = s.now.Add(time.Minute)
	before := read()
	for n := range 5 {
		s.hide(n + 1)
	}
	for path, after := range read() {
		if after != before[path] {
			t.Errorf("GET %s was\n%.2000s\nand is\n%.2000s", path, before[path], after)
		}
	}
	if w := s.send(curious, http.MethodGet, "/metrics", ""); w.Code != http.StatusForbidden {
		t.Errorf("a namespace reads the metrics of the server: %d", w.Code)
	}
	w := s.send("", http.MethodGet, "/metrics", "") // of the namespace without a name, which has nothing
	s.hides("GET /metrics", w)
	if text := w.Body.String(); !strings.Contains(text, `hippo_memories{state="found"} 0`) || strings.Contains(strings.ToLower(text), secretive) {
		t.Errorf("metrics: %d\n%.3000s", w.Code, text)
	}
}

// stable returns an answer without the ID of an event, which is sealed.
func stable(w *httptest.ResponseRecorder) string {
	return fmt.Sprint(w.Code, " ", regexp.MustCompile(`(?m)^id: \S+$`).ReplaceAllString(w.Body.String(), ""))
}

// No MCP tool reveals anything of a namespace to the session of another, and no token can use the session of another token.
func TestTenants_Tools(t *testing.T) {
	s := newShared(t)
	const protocol = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	w := s.send(curious, http.MethodPost, "/mcp", protocol)
	session := []string{"Mcp-Session-Id", w.Header().Get("Mcp-Session-Id"), "Mcp-Protocol-Version", "2025-06-18"}
	s.send(curious, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session...)
	w = s.send(curious, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, session...)
	tools := regexp.MustCompile(`"name":"(\w+)","(?:title|annotations|inputSchema|outputSchema|_meta)|"name":"(\w+)"}`).FindAllStringSubmatch(w.Body.String(), -1)
	if len(tools) < 3 {
		t.Fatalf("%d tools: %d %.500s", len(tools), w.Code, w.Body)
	}
	id, found := s.id.String(), 0
	for _, tool := range tools {
		for _, args := range []map[string]any{
			{"query": "orchard house"},
			{"uuids": []string{id}},
			{"uuid": id, "content": "orchard"},
			{"name": "House"},
			{"projects": []string{"all"}, "query": "orchard"},
			{"uuids": []string{id}, "vote": "upvote"},
			{"content": "an orchard", "supersedes": []string{id[:35] + "6"}},
			{},
		} {
			encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": map[string]any{"name": tool[1] + tool[2], "arguments": args}})
			if err != nil {
				t.Fatal(err)
			}
			w := s.send(curious, http.MethodPost, "/mcp", string(encoded), session...)
			s.hides(string(encoded), w)
			if strings.Contains(w.Body.String(), "an orchard by the river") {
				found++
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d answers have anything of the namespace that asks", found)
	}
	if w := s.send(secretive, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`, session...); w.Code != http.StatusNotFound && w.Code != http.StatusForbidden {
		t.Errorf("the session of another token: %d %.300s", w.Code, w.Body)
	}
}
