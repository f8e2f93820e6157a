package telemetry_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
)

// span is a span in the JSON form of OTLP.
type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	StartTimeUnixNano, EndTimeUnixNano  string
	Attributes                          []struct {
		Key   string
		Value struct{ StringValue, IntValue string }
	}
	Status struct{ Code int }
}

// attribute returns the text of an attribute.
func (s span) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

// collector keeps what it receives.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	header http.Header
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v: %v", r.URL.Path, r.Header, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies, c.header = append(c.bodies, string(b)), r.Header
	}))
	t.Cleanup(c.Close)
	return c
}

// spans returns what was received, by name.
func (c *collector) spans(t *testing.T) map[string]span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]span)
	for _, body := range c.bodies {
		var got struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []span }
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%v:\n%s", err, body)
		}
		for _, s := range got.ResourceSpans[0].ScopeSpans[0].Spans {
			out[s.Name] = s
		}
	}
	return out
}

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// A request, the call of a tool in a session, and the verbs make one tree below the span of the client, without contents.
func TestTraces(t *testing.T) {
	t.Parallel()
	c, e := newCollector(t), enginetest.Open(t, enginetest.Options{})
	traces, err := telemetry.NewTraces("v1.2.3", environment(map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b, other=c",
	}), slog.New(slog.DiscardHandler))
	if err != nil || traces == nil {
		t.Fatal(traces, err)
	}
	o := &telemetry.Observer{Metrics: telemetry.NewMetrics("v1.2.3", time.Now), Traces: traces}
	e = engine.Observed(e, o.Verb)
	open := func(context.Context) (*engine.Engine, error) { return e, nil }
	s := httpd.New(append(mcpserver.Routes(open, &mcpserver.Options{Observe: o.Tool}), search(e)), httpd.Options{Tokens: everybody{}, Observer: o})
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	key := []string{"X-API-Key", "x", "Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Traceparent", "00-" + trace + "-" + parent + "-01"}
	send(s, "GET", "/search/private?q=private", "", key...)
	send(s, "GET", "/private", "", key...)
	w := send(s, "POST", "/mcp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, key...)
	session := append(key, "Mcp-Session-Id", w.Header().Get("Mcp-Session-Id"))
	send(s, "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session...)
	send(s, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hippo_get","arguments":{"ids":["019a0000-0000-7000-8000-000000000000"]}}}`, session...)
	send(s, "BREW", "/search/private", "", key...)
	if err := traces.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := c.spans(t)
	request, verb, tool, get := all["GET /search/{id}"], all["hippo.search"], all["tools/call hippo_get"], all["hippo.get"]
	if request.TraceID != trace || request.ParentSpanID != parent || request.Kind != 2 || request.attribute("http.response.status_code") != "200" || request.attribute("http.route") != "GET /search/{id}" {
		t.Errorf("the request: %+v", request)
	}
	if verb.TraceID != trace || verb.ParentSpanID != request.SpanID || verb.Kind != 1 || verb.StartTimeUnixNano > verb.EndTimeUnixNano {
		t.Errorf("the verb: %+v", verb)
	}
	if post := all["POST /mcp"]; tool.TraceID != trace || tool.ParentSpanID != post.SpanID || get.ParentSpanID != tool.SpanID || get.attribute("hippo.code") != "not_found" || get.Status.Code != 0 {
		t.Errorf("the tool: %+v\nthe verb: %+v\nthe request: %+v", tool, get, post)
	}
	if unknown := all["GET"]; unknown.attribute("http.response.status_code") != "404" || all["_OTHER"].attribute("http.response.status_code") != "405" {
		t.Errorf("other requests: %+v", all)
	}
	text := strings.Join(c.bodies, "")
	if strings.Contains(text, "private") || strings.Contains(text, "someone") || strings.Contains(text, "BREW") || !strings.Contains(text, `{"key":"service.name","value":{"stringValue":"hippo"}}`) {
		t.Errorf("sent %s", text)
	}
	if c.header.Get("X-Key") != "a b" || c.header.Get("Other") != "c" {
		t.Errorf("the header %v", c.header)
	}
}

// A collector that is not there costs spans and nothing else.
func TestTraces_WithoutCollector(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	traces, err := telemetry.NewTraces("v1", environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	o := &telemetry.Observer{Metrics: telemetry.NewMetrics("v1", time.Now), Traces: traces}
	s := httpd.New([]httpd.Route{search(enginetest.Open(t, enginetest.Options{}))}, httpd.Options{Tokens: everybody{}, Observer: o})
	if w := send(s, "GET", "/search/x?q=x", "", "X-API-Key", "x"); w.Code != http.StatusOK {
		t.Errorf("got %d", w.Code)
	}
	if err := traces.Close(t.Context()); err != nil || !strings.Contains(log.String(), "traces are not sent") {
		t.Errorf("%v, the log is %s", err, log.String())
	}
}

func TestNewTraces_Environment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env    map[string]string
		wanted bool
		field  string
	}{
		{nil, false, ""},
		{map[string]string{"OTEL_SERVICE_NAME": "x"}, false, ""},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true, ""},
		{map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, false, ""},
		{map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, false, ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://x/y"}, true, ""},
		{map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, false, "OTEL_TRACES_EXPORTER"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"}, false, "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "OTEL_EXPORTER_OTLP_PROTOCOL"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, false, "OTEL_EXPORTER_OTLP_TIMEOUT"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_HEADERS": "secret"}, false, "OTEL_EXPORTER_OTLP_HEADERS"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_HEADERS": "a=b%0d%0ac"}, false, "OTEL_EXPORTER_OTLP_HEADERS"},
	} {
		traces, err := telemetry.NewTraces("v1", environment(c.env), slog.New(slog.DiscardHandler))
		bad := &hippo.FieldError{}
		if err != nil {
			bad, _ = err.(*hippo.FieldError) //nolint:errorlint // it must be this very type
		}
		if (traces != nil) != c.wanted || bad == nil || bad.Field != c.field || strings.Contains(bad.Why, "secret") {
			t.Errorf("%v: got %v, %v", c.env, traces != nil, err)
		}
		_ = traces.Close(t.Context())
	}
}
