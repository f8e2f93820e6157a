package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// The headers of the protocol that choose who serves a request.
const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// statelessVersion is the first version of the protocol without initialize and sessions.
const statelessVersion = "2026-07-28"

// Methods that the HTTP transport treats in a way of their own.
const (
	methodInitialize = "initialize"
	methodCallTool   = "tools/call"
)

// Limits of the HTTP transport.
const (
	// maxSessions is the most open sessions of all callers together.
	maxSessions = 1000
	// sessionTimeout is the time without a message from the client after which a session is closed.
	sessionTimeout = 24 * time.Hour
	// bodyTime is how long the body of a request may take to arrive.
	bodyTime = 30 * time.Second
	// maxCalls is the most calls of tools that are carried out at a time. A call of a session goes
	// on when its client goes away, so the limits of connections do not bound it.
	maxCalls = 256
	// maxEventBytes is the most bytes of answers that are kept to be sent again to clients that
	// lost their connection.
	maxEventBytes = 8 << 20
)

// StreamableOptions configures [Streamable]; the zero value and nil are useful.
type StreamableOptions struct {
	// Begin returns the context of the calls of a new session. It keeps the values of ctx, that of
	// the request. Nil: ctx.
	Begin func(ctx context.Context) context.Context
	// MaxSessions and SessionTimeout are limits of sessions; 0 means 1000 and a day.
	MaxSessions    int
	SessionTimeout time.Duration
	// Needs returns the rights without which a tool can do nothing. A call by a token that lacks them is 403 if the token
	// comes from an issuer, who could give another one. Nil: no tool needs any.
	Needs func(tool string) hippo.Rights
}

// Streamable returns the handler of an endpoint that serves MCP over streamable HTTP. One endpoint serves both
// eras of the protocol: sessions up to version 2025-11-25, and requests without a session, of which those of
// version 2026-07-28 need no initialize. The header Mcp-Protocol-Version and the session ID choose.
//
// A session belongs to the [httpd.Caller] of the request that opened it. For a caller with another name or scope
// it does not exist: the answer is 404, after which clients initialize again. Handlers get this caller by
// [httpd.CallerOf]. What is refused, is refused with a JSON-RPC error.
//
// The handler checks neither Host nor Origin: package httpd does so for all routes, and a check of the address
// here would refuse what a reverse proxy on this machine passes on.
func Streamable(server *mcp.Server, o *StreamableOptions) http.Handler {
	h := &streamable{calls: make(chan struct{}, maxCalls), begin: func(ctx context.Context) context.Context { return ctx }}
	if o == nil {
		o = &StreamableOptions{}
	}
	if o.Begin != nil {
		h.begin = o.Begin
	}
	h.needs = o.Needs
	h.sessions = newSessionTable(cmp.Or(o.MaxSessions, maxSessions))
	server.AddReceivingMiddleware(h.watch)
	get := func(*http.Request) *mcp.Server { return server }
	h.stateful = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		EventStore: newEventStore(maxEventBytes, h.sessions.remove), SessionTimeout: cmp.Or(o.SessionTimeout, sessionTimeout),
		MaxRequestBodyBytes: maxLine, DisableLocalhostProtection: true,
	})
	h.stateless = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxLine, DisableLocalhostProtection: true,
	})
	return h
}

// streamable is the handler of [Streamable].
type streamable struct {
	sessions            *sessionTable
	calls               chan struct{} // one for each call of a tool
	begin               func(ctx context.Context) context.Context
	needs               func(tool string) hippo.Rights // nil: nothing
	stateful, stateless http.Handler
}

// ServeHTTP implements [http.Handler].
func (h *streamable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := &refusals{ResponseWriter: w}
	defer answer.finish()
	var list []message
	if r.Method == http.MethodPost {
		var ok bool
		if list, ok = readMessages(answer, r); !ok || h.lacksRights(answer, r, list) {
			return
		}
	}
	id := r.Header.Get(sessionHeader)
	switch {
	case r.Header.Get(versionHeader) >= statelessVersion:
		h.stateless.ServeHTTP(answer, r)
	case id != "":
		if !h.sessions.use(id, httpd.CallerOf(r.Context())) {
			answer.refuse(http.StatusNotFound, jsonrpc.CodeInvalidRequest, "session not found: it ended, or was opened with another token; begin with initialize")
			return
		}
		h.stateful.ServeHTTP(answer, r)
	case r.Method != http.MethodPost:
		h.stateful.ServeHTTP(answer, r) // it refuses what lacks the ID of a session
	case len(list) == 1 && isInitialize(&list[0]):
		h.stateful.ServeHTTP(answer, r.WithContext(h.begin(r.Context())))
	default:
		h.stateless.ServeHTTP(answer, r)
	}
}

// lacksRights reports whether a token does not allow a tool that is called, and refuses the request then, if an issuer could
// give its client another token. Otherwise the tool refuses, in words for a model.
func (h *streamable) lacksRights(answer *refusals, r *http.Request, list []message) bool {
	scope := httpd.CallerOf(r.Context()).Scope
	if h.needs == nil || scope.Allows(hippo.RightWrite) {
		return false
	}
	for i := range list {
		var params struct{ Name string }
		call := list[i].call()
		if call == nil || call.Method != methodCallTool || json.Unmarshal(call.Params, &params) != nil {
			continue
		}
		if need := h.needs(params.Name); !scope.Allows(need) && httpd.InsufficientScope(r.Context(), answer.Header(), need) {
			answer.refuse(http.StatusForbidden, jsonrpc.CodeInvalidRequest, "the token does not allow this tool: ask the issuer for the scope that WWW-Authenticate names")
			return true
		}
	}
	return false
}

func isInitialize(m *message) bool {
	call := m.call()
	return call != nil && call.Method == methodInitialize
}

// readMessages reads the body of a request, as strictly as a line of the stdio transport, and restores it. It
// reports whether the body can be served; otherwise it is refused.
func readMessages(answer *refusals, r *http.Request) (list []message, ok bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		answer.refuse(http.StatusUnsupportedMediaType, jsonrpc.CodeInvalidRequest, "Content-Type must be application/json")
		return nil, false
	}
	body, err := readBody(answer, r)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		answer.refuse(http.StatusRequestEntityTooLarge, jsonrpc.CodeInvalidRequest, fmt.Sprintf("message must be at most %d bytes", maxLine))
		return nil, false
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		answer.refuse(http.StatusRequestTimeout, jsonrpc.CodeInvalidRequest, fmt.Sprintf("body must arrive within %s", bodyTime))
		return nil, false
	}
	if err != nil { // the client is gone, or does not speak HTTP
		answer.refuse(http.StatusBadRequest, jsonrpc.CodeParseError, "body ended early")
		return nil, false
	}
	list, isBatch, err := parse(line{text: bytes.TrimSpace(body)})
	if bad, malformed := errors.AsType[*malformed](err); malformed {
		answer.id = bad.id
		answer.refuse(http.StatusBadRequest, bad.code, bad.err.Error())
		return nil, false
	}
	for i := range list {
		call := list[i].call()
		if call == nil {
			continue
		}
		if isInexact(call.ID) {
			answer.refuse(http.StatusBadRequest, jsonrpc.CodeInvalidRequest, "id must be a text, or a whole number between -2^53 and 2^53")
			return nil, false
		}
		if !isBatch {
			answer.method = call.Method
			answer.id, _ = json.Marshal(call.ID.Raw()) //nolint:errchkjson // a text or a number always has a JSON form
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return list, true
}

// readBody reads a body within its limits of size and time. Streams have no deadline of their own.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	c := http.NewResponseController(w)
	late := time.AfterFunc(bodyTime, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) }) // long ago: at once
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
	if !late.Stop() && err == nil {
		err = c.SetReadDeadline(time.Time{}) // the body was just in time
	}
	return body, err
}

// watch is the middleware that knows the sessions that begin, bounds the calls, and gives every error a code.
func (h *streamable) watch(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == methodCallTool {
			select {
			case h.calls <- struct{}{}:
				defer func() { <-h.calls }()
			default:
				return nil, &jsonrpc.Error{Code: codeBusy, Message: fmt.Sprintf("server is busy: at most %d calls are carried out at a time; try again", maxCalls)}
			}
		}
		result, err := next(ctx, method, req)
		if err != nil {
			return nil, coded(err)
		}
		if s, ok := req.GetSession().(*mcp.ServerSession); ok && method == methodInitialize && s.ID() != "" {
			h.sessions.add(s.ID(), httpd.CallerOf(ctx), s)
		}
		return result, nil
	}
}

// codeBusy is the code of the answer to a call that is not carried out for now, of those that JSON-RPC leaves
// to servers.
const codeBusy = -32000

// coded returns an error with a code of JSON-RPC: the SDK gives code 0 to those of no kind.
func coded(err error) error {
	inner, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return &jsonrpc.Error{Code: codeCancelled, Message: "request was cancelled"}
	case ok && inner.Code != 0:
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}
