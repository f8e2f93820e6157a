package httpd

import (
	"context"
	"net/http"
	"time"
)

// Observer hears of requests, for metrics and traces. It is safe for concurrent use, and must not wait.
type Observer interface {
	// Begin is called before anything of a request is read, and returns the context in which it is answered. It may set
	// headers for the handler.
	Begin(r *http.Request) context.Context
	// End is called in that context after the answer.
	End(ctx context.Context, s Served)
}

// Served is a request that was answered.
type Served struct {
	Method string
	// Route is the pattern; empty if none matched.
	Route string
	// Status is that of HTTP; 0 if the connection was cut before there was one.
	Status int
	Took   time.Duration
	// Refused is why no handler carried the request out; empty if one did, and for a path without a route.
	Refused Reason
}

// Reason is why a request was refused.
type Reason string

// The reasons.
const (
	// RefusedAuth: no token, one that is not known, or one without the right.
	RefusedAuth Reason = "auth"
	// RefusedRate: too many requests a second, or too many wrong tokens.
	RefusedRate Reason = "rate"
	// RefusedLimit: too many requests at a time.
	RefusedLimit Reason = "limit"
	// RefusedBody: the body is too large.
	RefusedBody Reason = "body"
	// RefusedSite: the name of the host is not of this server, or the request comes from another site.
	RefusedSite Reason = "site"
)

// Reasons returns all of them.
func Reasons() []Reason {
	return []Reason{RefusedAuth, RefusedRate, RefusedLimit, RefusedBody, RefusedSite}
}

// served returns what an observer hears of a request.
func served(r *http.Request, status int, took time.Duration, e *entry) Served {
	out := Served{Method: r.Method, Route: r.Pattern, Status: status, Took: took, Refused: e.refused}
	if status == http.StatusRequestEntityTooLarge {
		out.Refused = RefusedBody // the handler notices it while it reads
	}
	return out
}
