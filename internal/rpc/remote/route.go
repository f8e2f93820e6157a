package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rpc"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// Options configure the route.
type Options struct {
	// Version is that of the program.
	Version string
	// Verbs are those of packages above the engine.
	Verbs []engine.Verb
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Log receives a line a call, without contents, and failures of the machine; nil discards them.
	Log *slog.Logger
}

// server answers calls.
type server struct {
	*Options
	protocol   string // that of this program
	dispatcher *rpc.Dispatcher
}

// Routes returns the route of the verbs. The engine that open returns has the store open: verbs are carried out there,
// never passed on.
func Routes(open httpd.Opener, o *Options) []httpd.Route {
	s := &server{Options: o, protocol: Protocol(), dispatcher: rpc.NewDispatcher(open, o.Verbs...)}
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return []httpd.Route{
		{Pattern: "GET " + Path, Rights: hippo.RightRead, Handler: http.HandlerFunc(s.greet)},
		{Pattern: "POST " + Path, Rights: hippo.RightRead, MaxBody: maxCall, Handler: http.HandlerFunc(s.call)},
	}
}

// greet says who the server is, and what the token allows. It opens nothing.
func (s *server) greet(w http.ResponseWriter, r *http.Request) {
	c := httpd.CallerOf(r.Context())
	g := Greeting{
		Protocol: s.protocol, Version: s.Version, Token: c.Name, Namespace: c.Scope.Namespace, Projects: c.Scope.Projects, Rights: rightsOf(c.Scope.Rights),
	}
	b, err := json.Marshal(g)
	s.reply(w, http.StatusOK, outcomeResult, b, err)
}

// rightsOf names rights.
func rightsOf(r hippo.Rights) []string {
	names := []string{}
	for i, name := range []string{"read", "write", "purge", "admin"} {
		if r&(hippo.RightRead<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// call carries out a call.
func (s *server) call(w http.ResponseWriter, r *http.Request) {
	began := s.Now()
	reply, failed, err := s.perform(w, r, began)
	wire.LogCall(s.Log, "engine", s.Now().Sub(began), 0, err)
	if !failed {
		s.reply(w, http.StatusOK, outcomeResult, reply, nil)
		return
	}
	code := hippo.CodeOf(err)
	status := wire.FailureOf(code).Status
	if status >= http.StatusInternalServerError && r.Context().Err() == nil {
		s.Log.Error("call failed", "code", code, "error", err)
	}
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	s.reply(w, status, outcomeFailure, reply, nil)
}

// perform checks a request that began at a time and carries out its call.
func (s *server) perform(w http.ResponseWriter, r *http.Request, began time.Time) (reply []byte, failed bool, err error) {
	if p := r.Header.Get(protocolHeader); p != s.protocol {
		return failure(differs("this server", s.Version, s.protocol, "the caller", r.Header.Get(versionHeader), p))
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != mediaType {
		return failure(hippo.Fieldf("Content-Type", "must be %s", mediaType))
	}
	body, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return failure(hippo.Fieldf("body", "must have at most %d bytes", tooLarge.Limit))
	}
	if err != nil {
		return failure(fmt.Errorf("%w: the call is incomplete: %w", hippo.ErrInvalid, err))
	}
	limits := timesOf(verbIn(body))
	if limits.reply > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(began.Add(limits.reply)) // a test may have none
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), limits.call-s.Now().Sub(began), fmt.Errorf("%w: the call took longer than %v", hippo.ErrUnavailable, limits.call))
	defer cancel()
	reply, failed, err = s.dispatcher.DoWithin(ctx, httpd.CallerOf(ctx).Scope, body, discreet)
	if failed && ctx.Err() != nil && r.Context().Err() == nil {
		return failure(context.Cause(ctx))
	}
	return reply, failed, err
}

func failure(err error) (reply []byte, failed bool, _ error) {
	return rpc.Failure(err), true, err
}

// differs says that two programs do not understand each other.
func differs(who, version, protocol, other, otherVersion, otherProtocol string) error {
	show := func(text string) string {
		if text == "" {
			return "unknown"
		}
		return fmt.Sprintf("%.40q", text)
	}
	return fmt.Errorf("%w: %s has protocol %s (hippo %s), %s has protocol %s (hippo %s): use the same version of hippo on both sides",
		hippo.ErrUnsupported, who, show(protocol), show(version), other, show(otherProtocol), show(otherVersion))
}

// discreet replaces an error of the machine, which may name paths, for callers who may not know them.
func discreet(err error) error {
	if text := wire.Discreet(hippo.CodeOf(err)); text != "" {
		return fmt.Errorf("%w: %s", hippo.ErrorOf(hippo.CodeOf(err)), text)
	}
	if hippo.CodeOf(err) == hippo.CodeInternal {
		return errors.New("this is a fault of hippo; the log of the server has more")
	}
	return err
}

// reply writes a reply.
func (s *server) reply(w http.ResponseWriter, status int, outcome string, body []byte, err error) {
	if err != nil {
		status, outcome, body = http.StatusInternalServerError, outcomeFailure, rpc.Failure(err)
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-store")
	h.Set(protocolHeader, s.protocol)
	h.Set(versionHeader, s.Version)
	h.Set(outcomeHeader, outcome)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}
