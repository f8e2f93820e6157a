package telemetry

import (
	"context"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/telemetry/otlp"
)

// Traces make a span of each request, of each call of a tool and of each verb. It is safe for concurrent use.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	carrier  propagation.TraceContext
}

// NewTraces returns traces that go where the environment variables of OpenTelemetry say; nil if nowhere. The sampler, the
// resource and the queue are those of OTEL_TRACES_SAMPLER, OTEL_RESOURCE_ATTRIBUTES, OTEL_BSP_SCHEDULE_DELAY and their like.
// A variable that cannot be used is a [*hippo.FieldError] with its name.
func NewTraces(ctx context.Context, version string, env func(string) string, log *slog.Logger) (*Traces, error) {
	c, wanted, err := otlp.FromEnv(env)
	if err != nil || !wanted {
		return nil, err
	}
	r, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "hippo"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, hippo.Fieldf("OTEL_RESOURCE_ATTRIBUTES", "cannot be used: %v", err)
	}
	t := &Traces{provider: sdk.NewTracerProvider(sdk.WithBatcher(otlp.New(c, log)), sdk.WithResource(r))}
	t.tracer = t.provider.Tracer("github.com/hippo-memory/hippo", trace.WithInstrumentationVersion(version))
	return t, nil
}

// Close sends what is not sent yet, until ctx ends.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// begin begins the span of a request, a child of that which the client names. Its own place goes into the header:
// the calls of an MCP session run in a context of the session.
func (t *Traces) begin(r *http.Request) context.Context {
	header := propagation.HeaderCarrier(r.Header)
	ctx, _ := t.tracer.Start(t.carrier.Extract(r.Context(), header), methodOf(r.Method), trace.WithSpanKind(trace.SpanKindServer))
	t.carrier.Inject(ctx, header)
	return ctx
}

// end ends the span of a request.
func (*Traces) end(ctx context.Context, s *httpd.Served) {
	span := trace.SpanFromContext(ctx)
	if span.IsRecording() {
		if s.Route != "" {
			span.SetName(s.Route)
		}
		span.SetAttributes(
			attribute.String("http.request.method", methodOf(s.Method)), attribute.String("http.route", s.Route), attribute.Int("http.response.status_code", s.Status))
		if s.Refused != "" {
			span.SetAttributes(attribute.String("hippo.refused", string(s.Refused)))
		}
		if s.Status >= http.StatusInternalServerError || s.Status == 0 {
			span.SetStatus(codes.Error, "")
		}
	}
	span.End()
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
		ctx = t.carrier.Extract(ctx, propagation.HeaderCarrier(header))
	}
	return t.inside(ctx, "tools/call "+name)
}

func (t *Traces) verb(ctx context.Context, name string) (inner context.Context, end func(error)) {
	return t.inside(ctx, "hippo."+name)
}

func (t *Traces) inside(ctx context.Context, name string) (inner context.Context, end func(error)) {
	ctx, span := t.tracer.Start(ctx, name)
	return ctx, func(err error) {
		if code := hippo.CodeOf(err); code != hippo.CodeOK {
			span.SetAttributes(attribute.String("hippo.code", string(code))) // the text of an error may quote a memory
			if ownFault(code) {
				span.SetStatus(codes.Error, "")
			}
		}
		span.End()
	}
}
