package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/telemetry/otlp"
	"github.com/hippo-memory/hippo/internal/serve/telemetry/span"
)

// Traces make a span of each request, of each call of a tool and of each verb. It is safe for concurrent use.
type Traces struct{ tracer *span.Tracer }

// NewTraces returns traces that go where the environment variables of OpenTelemetry say; nil if nowhere. The sampler, the
// resource and the queue are those of OTEL_TRACES_SAMPLER, OTEL_RESOURCE_ATTRIBUTES, OTEL_BSP_SCHEDULE_DELAY and their like.
// A variable that cannot be used is a [*hippo.FieldError] with its name.
func NewTraces(version string, env func(string) string, log *slog.Logger) (*Traces, error) {
	c, wanted, err := otlp.FromEnv(env)
	if err != nil || !wanted {
		return nil, err
	}
	resource, err := otlp.ResourceFromEnv(env, span.Text("service.name", "hippo"), span.Text("service.version", version),
		span.Text("telemetry.sdk.name", "hippo"), span.Text("telemetry.sdk.language", "go"), span.Text("telemetry.sdk.version", version))
	if err != nil {
		return nil, err
	}
	to := otlp.New(c, resource, "github.com/hippo-memory/hippo", version, log)
	return &Traces{span.NewTracer(env, to, time.Now, log)}, nil //nolint:forbidigo // traces of several programs are compared by the system clock
}

// Close sends what is not sent yet, until ctx ends.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.tracer.Close(ctx)
}

// begin begins the span of a request, a child of that which the client names. Its own place goes into the header:
// the calls of an MCP session run in a context of the session.
func (t *Traces) begin(r *http.Request) context.Context {
	ctx, s := t.tracer.Start(span.From(r.Context(), r.Header), methodOf(r.Method), span.Server)
	s.Into(r.Header)
	return ctx
}

// end ends the span of a request.
func (*Traces) end(ctx context.Context, served *httpd.Served) {
	s := span.Of(ctx)
	if s == nil {
		return
	}
	if served.Route != "" {
		s.Name = served.Route
	}
	s.Set(span.Text("http.request.method", methodOf(served.Method)), span.Text("http.route", served.Route), span.Number("http.response.status_code", served.Status))
	if served.Refused != "" {
		s.Set(span.Text("hippo.refused", string(served.Refused)))
	}
	s.Failed = served.Status >= http.StatusInternalServerError || served.Status == 0
	s.End()
}

// methodOf returns a method that HTTP knows; others could hold anything.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	default:
		return "_OTHER"
	}
}

// tool begins the span of a call of a tool; verb that of a verb.
func (t *Traces) tool(ctx context.Context, name string, header http.Header) (inner context.Context, end func(error)) {
	if header != nil {
		ctx = span.From(ctx, header)
	}
	return t.inside(ctx, "tools/call "+name)
}

func (t *Traces) verb(ctx context.Context, name string) (inner context.Context, end func(error)) {
	return t.inside(ctx, "hippo."+name)
}

func (t *Traces) inside(ctx context.Context, name string) (inner context.Context, end func(error)) {
	ctx, s := t.tracer.Start(ctx, name, span.Internal)
	return ctx, func(err error) {
		if code := hippo.CodeOf(err); code != hippo.CodeOK {
			s.Set(span.Text("hippo.code", string(code))) // the text of an error may quote a memory
			s.Failed = ownFault(code)
		}
		s.End()
	}
}
