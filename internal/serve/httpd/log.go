package httpd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"

	"github.com/hippo-memory/hippo"
)

// entry is what is known of a request beside its status.
type entry struct {
	caller  string
	refused Reason
}

type entryKey struct{}

// note changes the entry of a request.
func note(ctx context.Context, change func(*entry)) {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		change(e)
	}
}

// answer is a response that knows its status and size.
type answer struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.status == 0 || a.status < http.StatusOK { // what went before was only informational
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// Flush implements [http.Flusher], which handlers of streams ask for.
func (a *answer) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() } // an error shows at the next write

// Unwrap is for [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// logged answers a request, and writes its line of the access log: no path, no query and no header, which hold contents.
// A handler that panics is answered without a word about it.
func (s *Server) logged(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began, id, e := s.Now(), rand.Text()[:12], &entry{}
		a := &answer{ResponseWriter: w}
		a.Header().Set("X-Request-Id", id)
		a.Header().Set("X-Content-Type-Options", "nosniff")
		a.Header().Set("Referrer-Policy", "no-referrer")
		ctx := r.Context()
		if s.Observer != nil {
			ctx = s.Observer.Begin(r)
		}
		r = r.WithContext(context.WithValue(ctx, entryKey{}, e))
		defer func() {
			cut := s.recovered(recover(), a, r, id)
			if a.status == 0 && !cut {
				a.status = http.StatusOK // net/http sends it
			}
			took := s.Now().Sub(began)
			if s.Observer != nil {
				s.Observer.End(r.Context(), served(r, a.status, took, e))
			}
			s.Log.LogAttrs(r.Context(), slog.LevelInfo, "http", slog.String("request", id), slog.String("method", r.Method), slog.String("route", r.Pattern),
				slog.Int("status", a.status), slog.Int64("bytes", a.bytes), slog.Duration("took", took), slog.String("caller", e.caller))
			if cut {
				panic(http.ErrAbortHandler) // net/http closes the connection, and says nothing
			}
		}()
		next(a, r)
	}
}

// recovered answers a request whose handler panicked, and reports whether it must be cut: a part of the answer is gone.
func (s *Server) recovered(p any, a *answer, r *http.Request, id string) (cut bool) {
	if p == nil {
		return false
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return true
	}
	what := fmt.Sprintf("%T", p) // its text may hold contents
	if err, ok := p.(runtime.Error); ok {
		what = err.Error()
	}
	s.Log.Error("panic", "request", id, "panic", what, "stack", string(debug.Stack()))
	if a.status != 0 {
		return true
	}
	s.problem(a, r, Problem{Status: http.StatusInternalServerError, Code: hippo.CodeInternal, Detail: "this is a fault of hippo; its log has more"})
	return false
}
