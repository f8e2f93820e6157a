package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// callerHeader holds the name of the caller of a request, in place of a token.
const callerHeader = "Caller"

// callers are those that the test servers know, by name.
func callers() map[string]httpd.Caller {
	return map[string]httpd.Caller{
		"user":   {Name: "user", Scope: hippo.LocalScope("")},
		"other":  {Name: "other", Scope: hippo.LocalScope("")},
		"reader": {Name: "reader", Scope: hippo.Scope{Rights: hippo.RightRead}},
		"tenant": {Name: "tenant", Scope: hippo.Scope{Namespace: "elsewhere", Rights: hippo.AllRights}},
	}
}

// mount returns a handler of routes that knows the callers.
func mount(routes []httpd.Route) http.Handler {
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.Pattern, r.Handler)
	}
	known := callers()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(httpd.WithCaller(r.Context(), known[r.Header.Get(callerHeader)])))
	})
}

// routes returns the routes on the engine of a session.
func (s *session) routes(tools ...string) []httpd.Route {
	return mcpserver.Routes(func(context.Context) (*engine.Engine, error) { return s.engine, nil }, &mcpserver.Options{
		Version: "v1.2.3", Store: "memory:", Now: s.clock.now, Tools: tools,
	})
}

// newHTTP returns a session over HTTP on an empty store in RAM, before initialize, with the tools of some systems
// in the list.
func newHTTP(t *testing.T, tools ...string) *session {
	t.Helper()
	s := newSession(t, memstore.New(nil), time.UTC)
	s.http = serveHTTP(t, mount(s.routes(tools...)))
	return s
}

// serveHTTP returns a client of a handler.
func serveHTTP(t *testing.T, h http.Handler) *httpClient {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &httpClient{url: server.URL + mcpserver.Path, client: server.Client(), caller: "user"}
}

// as returns a further client of the same server, after initialize.
func (s *session) as(caller string) *session {
	s.t.Helper()
	other := &session{t: s.t, engine: s.engine, http: &httpClient{url: s.http.url, client: s.http.client, caller: caller}}
	other.hello()
	return other
}

// httpClient is a client over HTTP that does what the specification asks of one.
type httpClient struct {
	url, caller string
	client      *http.Client
	id, version string // of the session
	unread      []json.RawMessage
	last        *http.Response
}

// request returns a request with the headers that a message needs.
func (c *httpClient) request(t *testing.T, method, text string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", callerHeader: c.caller,
		"Mcp-Session-Id": c.id, "Mcp-Protocol-Version": c.version,
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	var m struct {
		Method string
		Params struct {
			Name string
			Meta map[string]any `json:"_meta"`
		}
	}
	_ = json.Unmarshal([]byte(text), &m) // what is no message has no such headers
	if version, ok := m.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string); ok {
		r.Header.Set("Mcp-Protocol-Version", version)
		r.Header.Set("Mcp-Method", m.Method)
		r.Header.Set("Mcp-Name", m.Params.Name)
	}
	return r
}

// do sends a request, and returns the response with its body read.
func (c *httpClient) do(t *testing.T, r *http.Request) (status int, body string) {
	t.Helper()
	response, err := c.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	c.last = response
	return response.StatusCode, string(b)
}

// send posts a message, and keeps the messages of the response.
func (c *httpClient) send(t *testing.T, text string) {
	t.Helper()
	_, body := c.do(t, c.request(t, http.MethodPost, text))
	if id := c.last.Header.Get("Mcp-Session-Id"); id != "" {
		c.id = id
	}
	if !strings.HasPrefix(c.last.Header.Get("Content-Type"), "text/event-stream") {
		if body != "" {
			c.unread = append(c.unread, json.RawMessage(body))
		}
		return
	}
	for _, e := range events(strings.NewReader(body)) {
		if e.data != "" {
			c.unread = append(c.unread, json.RawMessage(e.data))
		}
	}
}

// reply returns the next message that a response held.
func (c *httpClient) reply(t *testing.T) json.RawMessage {
	t.Helper()
	if len(c.unread) == 0 {
		t.Fatalf("no answer, status %s", c.last.Status)
	}
	first := c.unread[0]
	c.unread = c.unread[1:]
	return first
}

// event is a server-sent event.
type event struct{ name, id, data string }

// events reads server-sent events until r ends.
func events(r io.Reader) []event {
	var out []event
	var e event
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		key, value, _ := bytes.Cut(lines.Bytes(), []byte(": "))
		switch string(key) {
		case "event":
			e.name = string(value)
		case "id":
			e.id = string(value)
		case "data":
			e.data = string(value)
		case "":
			out, e = append(out, e), event{}
		}
	}
	return out
}
