// Package httpd is the HTTP server that front ends hang their routes on. It knows who sends a request and what the
// sender may do, before a handler sees the request; it bounds what a request may cost; and it answers failures in one
// form.
package httpd

import (
	"context"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo"
)

// Route is a part of the HTTP interface.
type Route struct {
	// Pattern is one of [http.ServeMux], with the method where only one is served.
	Pattern string
	// Rights that the caller needs. Without any the route is open to everyone, and the [Caller] of a request without
	// a token has the zero scope.
	Rights hippo.Rights
	// MaxBody is the largest body in bytes; 0: [DefaultBody]; below 0: the handler bounds it.
	MaxBody int64
	// Stream: the handler bounds the time that a request takes, such as a stream of events or an export. It ends with its
	// context, at the latest when the server shuts down.
	Stream bool
	// Probe: it is answered whatever the server is busy with. The handler reads no body.
	Probe bool
	// Reply is the time that a request may take that is no stream; 0: a minute.
	Reply time.Duration
	// Failure returns the body, as JSON, with which a request is answered that the server refuses before Handler sees
	// it. Nil: the problem itself. The front end of an interface with a form of its own sets it.
	Failure func(Problem) any
	// Handler answers. It restricts what it does to the scope of the [Caller].
	Handler http.Handler
}

// DefaultBody is the largest body of a request in bytes: the largest memory, with every byte escaped in JSON.
const DefaultBody = 4 << 20

// Caller is who sent a request.
type Caller struct {
	// Name of the token, for logs; empty if there was none.
	Name string
	// Scope is what the token allows. The zero scope allows nothing.
	Scope hippo.Scope
}

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller of a request by its context; one that may do nothing if it carries none.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
