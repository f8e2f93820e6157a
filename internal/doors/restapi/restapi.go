// Package restapi is the native REST front end under /api/v1: the verbs of the engine for programs, the
// export and import of all memories, and a stream of changes.
//
// A table of operations says which there are, see operations.go. An operation has an input: a struct that
// lists its arguments, see package verb, with where their values go. The decoder, which
// is strict, and the OpenAPI document both read that list, so that they cannot differ. Three arguments are headers of HTTP
// and declared here: Idempotency-Key, If-Match and Last-Event-ID.
//
// A memory has one form everywhere: that of package wire. Errors are of application/problem+json.
package restapi

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Options configures [Routes]; the zero value and nil are useful.
type Options struct {
	// Version of the program, for the status and the OpenAPI document.
	Version string
	// Store describes the store; only callers with [hippo.RightAdmin] see it.
	Store string
	// Trees are the source trees that callers may ask; nil: none.
	Trees sources.Trees
	// Namespaces manages those of the store, for callers who run the server; nil: nobody does.
	Namespaces memory.NamespaceAdmin
	// Sync is how callers who run the server reach the remotes of the store; nil: they do not.
	Sync *exchange.Served
	// Now is the clock, also of the deadlines of connections; nil means the system's.
	Now func() time.Time
	// Log receives failures that are not the caller's; nil discards them.
	Log *slog.Logger
}

// server is what the operations share.
type server struct {
	open httpd.Opener
	Options
	document func() []byte // made when it is first asked for
	streams  atomic.Int32  // of events that are open
}

// Routes returns the routes of the REST interface. Their handlers expect the caller in the context, see
// [httpd.CallerOf].
//
// The operations export, import and events take as long as they take: they set the deadlines of the
// connection for each part that they read or write. An event stream ends with the context of its request,
// which a server that shuts down has to cancel.
func Routes(open httpd.Opener, o *Options) []httpd.Route {
	s := &server{open: open}
	if o != nil {
		s.Options = *o
	}
	if s.Now == nil {
		s.Now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	list := operations()
	s.document = sync.OnceValue(func() []byte { return documentOf(list, s.Version) })
	routes := make([]httpd.Route, 0, len(list)+1)
	for i := range list {
		op := &list[i]
		route := httpd.Route{Pattern: op.method + " " + prefix + op.path, Rights: op.rights, Handler: s.handler(op)}
		if op.long {
			route.Reply = longest
		}
		if op.stream != "" || op.body != "" { // it sets deadlines and limits itself
			route.Stream, route.MaxBody = true, -1
		}
		routes = append(routes, route)
	}
	return append(routes, httpd.Route{Pattern: prefix + "/", Rights: hippo.RightRead, Handler: s.elsewhere(list)})
}

// prefix begins the path of every operation.
const prefix = "/api/v1"

// request is what an operation works with: the memories in the scope of the caller.
type request struct {
	*engine.Memories
	server *server
	scope  hippo.Scope
	caller string
	http   *http.Request
	writer http.ResponseWriter
}

// reply is the response of an operation. The zero reply is one that was written already.
type reply struct {
	status int
	data   any
	header map[string]string
	count  int // of memories that were returned or changed, for the log
}

// errAborted ends a response that was begun and cannot be completed.
var errAborted = errors.New("the response is incomplete")

// handler serves an operation.
func (s *server) handler(op *operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := s.Now()
		out, err := s.call(op, w, r)
		wire.LogCall(s.Log, op.id, s.Now().Sub(began), out.count, err)
		switch {
		case errors.Is(err, errAborted): // the client sees that the end is missing
			panic(http.ErrAbortHandler)
		case err != nil:
			s.fail(w, r, op.id, err)
		case out.status != 0:
			respond(w, &out)
		}
	})
}

// call runs an operation.
func (s *server) call(op *operation, w http.ResponseWriter, r *http.Request) (reply, error) {
	caller := httpd.CallerOf(r.Context())
	if !caller.Scope.Allows(op.rights) || op.rights == operator && restricted(&caller.Scope) {
		return reply{}, forbidden()
	}
	in := op.input()
	args := in.Args()
	if err := op.decode(w, r, args); err != nil {
		return reply{}, err
	}
	req := &request{server: s, scope: caller.Scope, caller: caller.Name, http: r, writer: w}
	if op.rights != operator { // which needs no namespace of the caller
		e, err := s.open(r.Context())
		if err != nil {
			return reply{}, err
		}
		req.Memories = changing(e.In(caller.Scope), caller.Name, "")
	}
	out, err := in.call(r.Context(), req)
	return out, verb.Named(err, verb.REST, args)
}

// changing returns the memories as a caller of a name changes them; an empty reason is unknown.
func changing(m *engine.Memories, caller, reason string) *engine.Memories {
	return engine.As(m, hippo.Operation{By: hippo.Source{Author: caller, Client: "rest"}, Reason: reason})
}
