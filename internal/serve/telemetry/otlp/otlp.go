// Package otlp sends traces to a collector by OTLP over HTTP in its JSON form, which every collector takes. The exporter
// of OpenTelemetry for the binary form would add 5 MB to the program. Source: OpenTelemetry Protocol 1.9.
package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/hippo-memory/hippo"
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

// Exporter sends spans. What cannot be sent is dropped and logged.
type Exporter struct {
	Config
	client http.Client
	log    *slog.Logger
}

var _ sdk.SpanExporter = (*Exporter)(nil)

// New returns an Exporter.
func New(c Config, log *slog.Logger) *Exporter {
	return &Exporter{Config: c, client: http.Client{Timeout: c.Timeout}, log: log}
}

// ExportSpans implements [sdk.SpanExporter]. A collector that fails is no failure of the program: it is logged here.
func (x *Exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := x.send(ctx, spans); err != nil {
		x.log.Warn("traces are not sent", "spans", len(spans), "error", err)
	}
	return nil
}

// Shutdown implements [sdk.SpanExporter].
func (x *Exporter) Shutdown(context.Context) error {
	x.client.CloseIdleConnections()
	return nil
}

func (x *Exporter) send(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := json.Marshal(requestOf(spans))
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
	Spans []span `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type span struct {
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
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

type keyValue struct {
	Key   string   `json:"key"`
	Value anyValue `json:"value"`
}

type anyValue struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
}

// requestOf returns spans of one provider, which share a resource and, here, a scope.
func requestOf(spans []sdk.ReadOnlySpan) request {
	first := spans[0]
	list := make([]span, len(spans))
	for i, s := range spans {
		list[i] = spanOf(s)
	}
	return request{[]resourceSpans{{
		Resource:   resource{attributes(first.Resource().Attributes())},
		ScopeSpans: []scopeSpans{{scope{first.InstrumentationScope().Name, first.InstrumentationScope().Version}, list}},
	}}}
}

func spanOf(s sdk.ReadOnlySpan) span {
	c := s.SpanContext()
	out := span{
		TraceID: c.TraceID().String(), SpanID: c.SpanID().String(), Flags: uint32(c.TraceFlags()), Name: s.Name(), Kind: int(s.SpanKind()),
		Start: strconv.FormatInt(s.StartTime().UnixNano(), 10), End: strconv.FormatInt(s.EndTime().UnixNano(), 10), Attributes: attributes(s.Attributes()),
	}
	if s.Parent().HasSpanID() {
		out.ParentSpanID = s.Parent().SpanID().String()
	}
	switch s.Status().Code {
	case codes.Ok:
		out.Status.Code = 1
	case codes.Error:
		out.Status = status{2, s.Status().Description}
	default:
	}
	return out
}

func attributes(list []attribute.KeyValue) []keyValue {
	out := make([]keyValue, len(list))
	for i, kv := range list {
		var v anyValue
		switch kv.Value.Type() {
		case attribute.BOOL:
			x := kv.Value.AsBool()
			v.Bool = &x
		case attribute.INT64:
			x := strconv.FormatInt(kv.Value.AsInt64(), 10)
			v.Int = &x
		case attribute.FLOAT64:
			x := kv.Value.AsFloat64()
			v.Double = &x
		default:
			x := kv.Value.String()
			v.String = &x
		}
		out[i] = keyValue{string(kv.Key), v}
	}
	return out
}
