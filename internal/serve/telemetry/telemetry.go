package telemetry

import (
	"context"
	"net/http"

	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// Observer is the metrics of a server, and its traces if they are wanted. It is safe for concurrent use.
type Observer struct {
	Metrics *Metrics
	Traces  *Traces // nil: none
}

var _ httpd.Observer = (*Observer)(nil)

// Begin implements [httpd.Observer].
func (o *Observer) Begin(r *http.Request) context.Context {
	if o.Traces != nil {
		return o.Traces.begin(r)
	}
	return r.Context()
}

// End implements [httpd.Observer].
func (o *Observer) End(ctx context.Context, s httpd.Served) {
	o.Metrics.end(&s)
	if o.Traces != nil {
		o.Traces.end(ctx, &s)
	}
}

// Tool hears of a call of a tool; see Options.Observe of package mcpserver.
func (o *Observer) Tool(ctx context.Context, tool string, header http.Header) (inner context.Context, end func(error)) {
	count := o.Metrics.tool(tool)
	if o.Traces == nil {
		return ctx, count
	}
	inner, finish := o.Traces.tool(ctx, tool, header)
	return inner, func(err error) { count(err); finish(err) }
}

// Verb hears of a call of a verb; see Observer of package engine.
func (o *Observer) Verb(ctx context.Context, verb string) (inner context.Context, end func(error)) {
	count := o.Metrics.verb(verb)
	if o.Traces == nil {
		return ctx, count
	}
	inner, finish := o.Traces.verb(ctx, verb)
	return inner, func(err error) { count(err); finish(err) }
}
