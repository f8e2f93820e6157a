package restapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// statusError is an error with another status than that of its code.
type statusError struct {
	status int
	error
}

func (e *statusError) Unwrap() error { return e.error }

func forbidden() error {
	return fmt.Errorf("%w: the token has no right to do this", hippo.ErrForbidden)
}

// fail answers with an error. What is wrong with the machine is logged, and described to
// callers with [hippo.RightAdmin] only: it may name paths.
func (s *server) fail(w http.ResponseWriter, r *http.Request, operation string, err error) {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError && r.Context().Err() == nil {
		s.Log.Error("request failed", "operation", operation, "code", p.Code, "error", err)
	}
	scope := httpd.CallerOf(r.Context()).Scope
	if machine := wire.Discreet(p.Code); machine != "" && !scope.Allows(hippo.RightAdmin) {
		p.Detail = machine
	}
	if p.Code == hippo.CodeUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	encode(w, p.Status, "application/problem+json", p)
}

func problemOf(err error) httpd.Problem {
	body := wire.ErrorOf(err, "").Error
	p := httpd.Problem{Type: "about:blank", Status: wire.FailureOf(body.Code).Status, Detail: body.Message, Code: body.Code, Field: body.Field}
	if other, ok := errors.AsType[*statusError](err); ok {
		p.Status = other.status
	}
	if p.Code == hippo.CodeInternal {
		p.Detail = "this is a fault of hippo; its log has more"
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// respond writes a reply.
func respond(w http.ResponseWriter, out *reply) {
	for name, value := range out.header {
		w.Header().Set(name, value)
	}
	if out.data == nil {
		w.WriteHeader(out.status)
		return
	}
	encode(w, out.status, "application/json", out.data)
}

func encode(w http.ResponseWriter, status int, kind string, data any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		status, kind = http.StatusInternalServerError, "application/problem+json"
		b.Reset()
		fmt.Fprintf(&b, `{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"the response has no JSON form","code":%q}`, hippo.CodeInternal)
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client is gone
}

// elsewhere answers what no operation serves: 405 for another method of a path that there is, else 404.
func (s *server) elsewhere(list []operation) http.Handler {
	known := http.NewServeMux()
	for i := range list {
		known.HandleFunc(list[i].method+" "+prefix+list[i].path, func(http.ResponseWriter, *http.Request) {})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var methods []string
		for _, m := range []string{http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost} {
			other := r.Clone(r.Context())
			other.Method = m
			if _, pattern := known.Handler(other); strings.HasPrefix(pattern, m+" ") {
				methods = append(methods, m)
			}
		}
		if methods == nil {
			s.fail(w, r, "", fmt.Errorf("%w: there is no such path; %s/openapi.json lists all", hippo.ErrNotFound, prefix))
			return
		}
		if slices.Contains(methods, http.MethodGet) {
			methods = append(methods, http.MethodHead)
		}
		allowed := strings.Join(methods, ", ")
		w.Header().Set("Allow", allowed)
		s.fail(w, r, "", &statusError{http.StatusMethodNotAllowed, fmt.Errorf("%w: the method must be one of %s", hippo.ErrUnsupported, allowed)})
	})
}
