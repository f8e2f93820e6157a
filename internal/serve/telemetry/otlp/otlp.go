// Package otlp sends traces to a collector by OTLP over HTTP in its JSON form, which every collector takes. The exporter
// of OpenTelemetry for the binary form would add 5 MB to the program. Source: OpenTelemetry Protocol 1.9.
package otlp

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/telemetry/span"
)

// Config says where traces go.
type Config struct {
	// URL of the collector, with the path.
	URL string
	// Headers of each request, such as a key.
	Headers map[string]string
	// Timeout of a request.
	Timeout time.Duration
}

// Defaults of the specification of the exporters of OpenTelemetry.
const (
	defaultEndpoint = "http://localhost:4318"
	tracesPath      = "/v1/traces"
	defaultTimeout  = 10 * time.Second
)

// FromEnv returns where the environment variables of OpenTelemetry want traces to go; false if nowhere. A variable that
// cannot be used is a [*hippo.FieldError] with its name.
func FromEnv(env func(string) string) (c Config, wanted bool, err error) {
	first := func(names ...string) (name, value string) {
		for _, name = range names {
			if value = strings.TrimSpace(env(name)); value != "" {
				return name, value
			}
		}
		return name, ""
	}
	_, exporter := first("OTEL_TRACES_EXPORTER")
	name, endpoint := first("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	switch {
	case strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || exporter == "none" || exporter == "" && endpoint == "":
		return c, false, nil
	case exporter != "" && exporter != "otlp":
		return c, false, hippo.Fieldf("OTEL_TRACES_EXPORTER", "must be otlp or none, got %.40q", exporter)
	}
	if n, protocol := first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); protocol == "grpc" {
		return c, false, hippo.Fieldf(n, "must be http/json: this program does not speak gRPC; collectors take HTTP on port 4318")
	}
	c = Config{URL: endpoint, Timeout: defaultTimeout}
	if name != "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" {
		if endpoint == "" {
			endpoint = defaultEndpoint
		}
		c.URL = strings.TrimSuffix(endpoint, "/") + tracesPath
	}
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return c, false, hippo.Fieldf(name, "must be a URL such as %s, got %.100q", defaultEndpoint, endpoint)
	}
	if n, text := first("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 1 {
			return c, false, hippo.Fieldf(n, "must be a number of milliseconds, got %.40q", text)
		}
		c.Timeout = time.Duration(ms) * time.Millisecond
	}
	n, text := first("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
	if c.Headers, err = headers(text); err != nil {
		return c, false, hippo.Fieldf(n, "must be a list such as name=value,other=value") // values may be secret
	}
	return c, true, nil
}

// headers reads a list of names and values, which are escaped as in URLs.
func headers(text string) (map[string]string, error) {
	out := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" || strings.ContainsAny(name+plain, "\r\n") {
			return nil, fmt.Errorf("%w: a header", hippo.ErrInvalid)
		}
		out[name] = plain
	}
	return out, nil
}

// ResourceFromEnv returns what the variables say about the program, which has some attributes already. The error is a
// [*hippo.FieldError].
func ResourceFromEnv(env func(string) string, own ...span.Attribute) ([]span.Attribute, error) {
	values := make(map[string]string)
	for _, a := range own {
		values[a.Key] = a.Text
	}
	for pair := range strings.SplitSeq(env("OTEL_RESOURCE_ATTRIBUTES"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" {
			return nil, hippo.Fieldf("OTEL_RESOURCE_ATTRIBUTES", "must be a list such as name=value,other=value, got %.40q", pair)
		}
		values[name] = plain
	}
	if name := strings.TrimSpace(env("OTEL_SERVICE_NAME")); name != "" {
		values["service.name"] = name
	}
	var out []span.Attribute
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, span.Text(name, values[name]))
	}
	return out, nil
}

// Exporter sends spans. What cannot be sent is dropped and logged.
type Exporter struct {
	Config
	Resource []span.Attribute
	// Scope and Version name what makes the spans.
	Scope, Version string
	client         http.Client
	log            *slog.Logger
}

var _ span.Exporter = (*Exporter)(nil)

// New returns an Exporter of the spans that a scope makes.
func New(c Config, resource []span.Attribute, scope, version string, log *slog.Logger) *Exporter {
	return &Exporter{Config: c, Resource: resource, Scope: scope, Version: version, client: http.Client{Timeout: c.Timeout}, log: log}
}

// Export implements [span.Exporter]. A collector that fails is no failure of the program: it is logged here.
func (x *Exporter) Export(ctx context.Context, spans []*span.Span) {
	if err := x.send(ctx, spans); err != nil {
		x.log.Warn("traces are not sent", "spans", len(spans), "error", err)
	}
}

// Close implements [span.Exporter].
func (x *Exporter) Close() { x.client.CloseIdleConnections() }

func (x *Exporter) send(ctx context.Context, spans []*span.Span) error {
	body, err := json.Marshal(x.requestOf(spans))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range x.Headers {
		r.Header.Set(name, value)
	}
	resp, err := x.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()                                      //nolint:errcheck // it is only read
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // so that the connection can be used again
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the collector answers with status %d", resp.StatusCode)
	}
	return nil
}

// The types below are the JSON form of ExportTraceServiceRequest. Numbers of 64 bits are texts, IDs hexadecimal.
type request struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []keyValue `json:"attributes"`
}

type scopeSpans struct {
	Scope scope  `json:"scope"`
	Spans []step `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type step struct {
	TraceID      string     `json:"traceId"`
	SpanID       string     `json:"spanId"`
	ParentSpanID string     `json:"parentSpanId,omitempty"`
	Flags        uint32     `json:"flags"`
	Name         string     `json:"name"`
	Kind         int        `json:"kind"`
	Start        string     `json:"startTimeUnixNano"`
	End          string     `json:"endTimeUnixNano"`
	Attributes   []keyValue `json:"attributes,omitempty"`
	Status       status     `json:"status"`
}

type status struct {
	Code int `json:"code,omitempty"`
}

type keyValue struct {
	Key   string   `json:"key"`
	Value anyValue `json:"value"`
}

type anyValue struct {
	String *string `json:"stringValue,omitempty"`
	Int    *string `json:"intValue,omitempty"`
}

// requestOf returns spans, which share a resource and a scope.
func (x *Exporter) requestOf(spans []*span.Span) request {
	list := make([]step, len(spans))
	for i, s := range spans {
		list[i] = stepOf(s)
	}
	return request{[]resourceSpans{{
		Resource:   resource{attributes(x.Resource)},
		ScopeSpans: []scopeSpans{{scope{x.Scope, x.Version}, list}},
	}}}
}

func stepOf(s *span.Span) step {
	const sampled, failed = 1, 2
	out := step{
		TraceID: hex.EncodeToString(s.Trace[:]), SpanID: hex.EncodeToString(s.ID[:]), Flags: sampled, Name: s.Name, Kind: int(s.Kind),
		Start: strconv.FormatInt(s.Began.UnixNano(), 10), End: strconv.FormatInt(s.Ended.UnixNano(), 10), Attributes: attributes(s.Attributes),
	}
	if s.Parent != [8]byte{} {
		out.ParentSpanID = hex.EncodeToString(s.Parent[:])
	}
	if s.Failed {
		out.Status.Code = failed
	}
	return out
}

func attributes(list []span.Attribute) []keyValue {
	out := make([]keyValue, len(list))
	for i, a := range list {
		out[i].Key = a.Key
		if a.IsNumber {
			n := strconv.Itoa(a.Number)
			out[i].Value.Int = &n
		} else {
			out[i].Value.String = &a.Text
		}
	}
	return out
}
