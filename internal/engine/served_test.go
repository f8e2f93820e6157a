package engine_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// served is an engine behind the route of a server, which runs in this process.
type served struct {
	options remote.ClientOptions
	engine  *engine.Engine
	clients sync.Map // by namespace
}

// newServed returns a client whose requests a server of the engine answers, without a network.
func newServed(e *engine.Engine) *served {
	open := func(context.Context) (*engine.Engine, error) { return e, nil }
	server := httpd.New(remote.Routes(open, &remote.Options{Version: "test"}), httpd.Options{Tokens: anyone{}, Limits: httpd.Limits{Rate: 1e9}})
	return &served{options: remote.ClientOptions{Address: "http://localhost", Version: "test", Transport: inProcess{server}}, engine: e}
}

// Call sends a call with the token that its namespace needs.
func (s *served) Call(ctx context.Context, c *engine.Call, out any) error {
	known, ok := s.clients.Load(c.Scope.Namespace)
	if !ok {
		o := s.options
		o.Token = secret.New("of-" + c.Scope.Namespace)
		known, _ = s.clients.LoadOrStore(c.Scope.Namespace, remote.NewClient(o))
	}
	client, ok := known.(*remote.Client)
	if !ok {
		return errors.New("no client")
	}
	return client.Call(ctx, c, out)
}

// Here returns the engine, for the tests of what needs it.
func (s *served) Here(context.Context) (*engine.Engine, func() error, error) {
	return s.engine, func() error { return nil }, nil
}

func (s *served) Close() error { return s.engine.Close() }

// anyone knows the token "of-NAMESPACE" of each namespace.
type anyone struct{}

func (anyone) Authenticate(token string) (httpd.Caller, bool) {
	return httpd.Caller{Name: "test", Scope: hippo.Scope{Namespace: token[len("of-"):], Rights: hippo.AllRights}}, true
}

// inProcess answers requests without a network.
type inProcess struct{ http.Handler }

func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}
