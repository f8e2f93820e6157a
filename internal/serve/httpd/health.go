package httpd

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo/internal/engine"
)

// Opener returns the engine that answers a request. It is called for every request, may take its time at the first, and
// is asked again after an error.
type Opener func(ctx context.Context) (*engine.Engine, error)

// readyTime is how long a probe waits for the store.
const readyTime = 2 * time.Second

// Health returns the routes of probes, which are open to everyone and say nothing but a status: /healthz, the process
// answers; /readyz, the store is open and the server does not shut down.
func Health(open Opener) []Route {
	return []Route{
		{Pattern: "GET /healthz", Probe: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { probed(w, http.StatusOK, "ok") })},
		{Pattern: "GET /readyz", Probe: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if draining(r.Context()) {
				probed(w, http.StatusServiceUnavailable, "closing")
				return
			}
			ctx, cancel := context.WithTimeout(r.Context(), readyTime)
			defer cancel()
			if _, err := open(ctx); err != nil {
				probed(w, http.StatusServiceUnavailable, "not ready")
				return
			}
			probed(w, http.StatusOK, "ready")
		})},
	}
}

// drainKey is the key of the context of a server that ends when it is to get no new requests.
type drainKey struct{}

// draining reports whether the server of a request is to get no new ones.
func draining(ctx context.Context) bool {
	c, ok := ctx.Value(drainKey{}).(context.Context)
	return ok && c.Err() != nil
}

func probed(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"status":"`+text+`"}`+"\n") // the client may be gone
}
