package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// callTool is a call of a tool without a session.
func callTool(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// The variables of OpenTelemetry make a server send spans to a collector: those of a request, the call of its tool and its
// verb in one trace, the last of them at the end; none has contents.
func TestServe_Traces(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got strings.Builder
	parents, ids := map[string]string{}, map[string]string{} // by the name of a span
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct{ TraceID, SpanID, ParentSpanID, Name string }
				}
			}
		}
		if err == nil {
			err = json.Unmarshal(body, &sent)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("X-Key") != "a b" {
			t.Errorf("%s %v: %v", r.URL.Path, r.Header, err)
		}
		mu.Lock()
		defer mu.Unlock()
		got.Write(body)
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					ids[span.Name], parents[span.Name] = span.TraceID+span.SpanID, span.TraceID+span.ParentSpanID
				}
			}
		}
	}))
	t.Cleanup(collector.Close)
	s := serveWeb(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_EXPORTER_OTLP_HEADERS=x-key=a%20b", "OTEL_SERVICE_NAME=remembers"})
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	a := s.send("POST", "/mcp", s.token, callTool("hippo_search_insights", `{"query":"heliotrope"}`), "Traceparent", "00-"+trace+"-"+parent+"-01")
	if a.status != http.StatusOK {
		t.Errorf("got %d %s", a.status, a.body)
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if parents["POST /mcp"] != trace+parent || parents["tools/call hippo_search_insights"] != ids["POST /mcp"] || parents["hippo.search"] != ids["tools/call hippo_search_insights"] {
		t.Errorf("the spans %v have the parents %v", ids, parents)
	}
	if text := got.String(); strings.Contains(text, "heliotrope") || !strings.Contains(text, `"remembers"`) {
		t.Errorf("sent %s", text)
	}
}

// A collector that fails costs the spans; the log says so, and requests are answered.
func TestServe_CollectorFails(t *testing.T) {
	t.Parallel()
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(collector.Close)
	s := serveWeb(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL})
	s.expect(http.StatusOK, "GET", "/api/v1/memories", s.token, "")
	if err := s.end(syscall.SIGTERM); err != nil || !strings.Contains(s.log(), "traces are not sent") {
		t.Errorf("%v, the log is %s", err, s.log())
	}
}

// The metrics of a server are what the parser of Prometheus reads, each with a help and a kind, after requests of all
// outcomes.
func TestServe_Metrics(t *testing.T) {
	t.Parallel()
	s := serveWeb(t, nil)
	for _, c := range []struct {
		method, path, token, body string
	}{
		{"POST", "/api/v1/memories", s.token, `{"content":"the gateway needs jitter"}`},
		{"POST", "/api/v1/search", s.token, `{"query":"jitter"}`},
		{"POST", "/mcp", s.token, callTool("hippo_search_insights", `{"query":"jitter"}`)},
		{"POST", "/mcp", s.token, callTool("hippo_record_insight", `{"content":7}`)},
		{"GET", "/api/v1/memories", "wrong", ""},
		{"GET", `/no"such\path`, s.token, ""},
	} {
		s.send(c.method, c.path, c.token, c.body)
	}
	text := s.expect(http.StatusOK, "GET", "/metrics", s.token, "").body
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	if len(families) < 20 {
		t.Errorf("only %d metrics:\n%s", len(families), text)
	}
	for name, f := range families {
		if f.GetHelp() == "" || f.GetType() == dto.MetricType_UNTYPED || (f.GetType() == dto.MetricType_COUNTER) != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is a %v: %q", name, f.GetType(), f.GetHelp())
		}
		for _, m := range f.GetMetric() {
			checkHistogram(t, name, m.GetHistogram())
		}
	}
	if calls := families["hippo_tool_calls_total"]; len(calls.GetMetric()) < 2 {
		t.Errorf("calls of tools are %v", calls)
	}
}

// checkHistogram checks that the buckets grow up to the count.
func checkHistogram(t *testing.T, name string, h *dto.Histogram) {
	t.Helper()
	if h == nil {
		return
	}
	last := uint64(0)
	for _, b := range h.GetBucket() {
		if b.GetCumulativeCount() < last {
			t.Errorf("%s: the bucket %v has %d, the one before %d", name, b.GetUpperBound(), b.GetCumulativeCount(), last)
		}
		last = b.GetCumulativeCount()
	}
	if last != h.GetSampleCount() {
		t.Errorf("%s: the last bucket has %d of %d", name, last, h.GetSampleCount())
	}
}
