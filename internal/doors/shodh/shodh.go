// Package shodh is the front end for SHODH REST 1.0.0, an HTTP interface that several memory programs
// share: the 13 operations of its OpenAPI document, and GET /api/clusters, which one of these
// programs adds. Status codes, schemas and formats of the answers are those of the document. Requests may
// also use the names that clients of other implementations know.
//
// [Routes] is the interface; the arguments are tables of package verb; operations.go is the table of the operations, fields.go that of the
// fields of a memory. docs/shodh.md describes both for users.
package shodh

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Options configures [Routes]; the zero value and nil are useful.
type Options struct {
	// Version of the program, for callers with a token.
	Version string
	// Database names the kind of store in the statistics, such as "sqlite". Empty: "hippo".
	Database string
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Log receives failures that are not the caller's; nil discards them.
	Log *slog.Logger
}

// Routes returns the routes of the interface. Each handler works in the scope of its [httpd.Caller];
// whoever serves the routes checks tokens and rights before.
func Routes(open httpd.Opener, o *Options) []httpd.Route {
	a := &service{open: open}
	if o != nil {
		a.Options = *o
	}
	a.Database = cmp.Or(a.Database, "hippo")
	if a.Now == nil {
		a.Now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if a.Log == nil {
		a.Log = slog.New(slog.DiscardHandler)
	}
	a.started = a.Now()
	all := operations()
	routes := make([]httpd.Route, len(all))
	for i := range all {
		op := &all[i]
		routes[i] = httpd.Route{
			Pattern: op.pattern, Rights: op.rights, Failure: refusal,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.serve(op, w, r) }),
		}
		if op.long {
			routes[i].Reply = longest
		}
	}
	return routes
}

// service is what all requests have in common.
type service struct {
	open httpd.Opener
	Options
	started   time.Time
	recording inFlight
}

// call is one request: the memories in the scope of the caller, and its arguments. Memories is nil
// for an operation that is open to everyone.
type call struct {
	*engine.Memories
	*service
	scope hippo.Scope
	// id is the reference to a memory in the path.
	id string
	verb.Input
	// unknown are the arguments that the operation does not have.
	unknown map[string]json.RawMessage
}

// reply is the answer of an operation: the status, 0 for [http.StatusOK], and what its body says.
type reply struct {
	status int
	body   any
}

// serve answers one request.
func (a *service) serve(op *operation, w http.ResponseWriter, r *http.Request) {
	out, err := a.answer(op, w, r)
	if err != nil {
		out = a.failure(op, err)
	}
	write(w, out)
}

func (a *service) answer(op *operation, w http.ResponseWriter, r *http.Request) (reply, error) {
	c := &call{service: a, scope: httpd.CallerOf(r.Context()).Scope, id: r.PathValue("id")}
	if !c.scope.Allows(op.rights) {
		return reply{}, errForbidden()
	}
	args, err := op.read(w, r, c)
	if err != nil {
		return reply{}, err
	}
	if op.rights == 0 {
		return op.run(r.Context(), c)
	}
	e, err := a.open(r.Context())
	if err != nil {
		return reply{}, err
	}
	c.Memories = engine.As(e.In(c.scope), hippo.Operation{By: hippo.Source{Kind: hippo.SourceAgent, Client: "shodh"}})
	out, err := op.run(r.Context(), c)
	return out, verb.Named(err, verb.SHODH, append(args, verb.Arg{Name: "id", Field: "ID IDs"}))
}
