package httpd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"time"

	"github.com/hippo-memory/hippo"
)

// Deadlines of a request that is no stream, and of a connection.
const (
	headerTime = 5 * time.Second
	bodyTime   = 30 * time.Second
	replyTime  = 60 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 32 << 10 // bytes
	// maxStreams is how many requests of one HTTP/2 connection run at a time. writeTime is how long such a connection may take nothing of
	// what is sent to it: a client that does not read holds a request for each of its streams.
	maxStreams = 32
	writeTime  = 10 * time.Second
)

// Options configure a [Server]; the zero value serves routes that are open to everyone.
type Options struct {
	// Tokens knows the callers; nil: every token is unknown.
	Tokens Authenticator
	// Metadata is the URL of the metadata of this server, by which clients find who issues tokens for it; empty: nobody
	// does. Source: RFC 9728, section 5.1.
	Metadata string
	// Hosts are names that the server is reached by, without a port, beside addresses and those of this machine. With
	// TLS every name is accepted: another site has no certificate for it.
	Hosts []string
	// Certificate, if not nil, returns the certificate of a TLS connection.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// Protocols are offered to TLS connections beside those of HTTP; see [ACME.Protocol].
	Protocols []string
	// Limits bound what callers may do at a time.
	Limits Limits
	// Quota returns how many requests a minute the callers of a namespace may send together; 0: there is no such limit. It is called for
	// every request. Nil: no namespace has one.
	Quota func(ctx context.Context, namespace string) int
	// Observer hears of every request; nil: nobody does.
	Observer Observer
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Log receives the access log, without contents, and faults; nil discards them.
	Log *slog.Logger
}

// Server answers HTTP requests by its routes.
type Server struct {
	Options
	server http.Server
	handle http.HandlerFunc
	limits *limiter
	mux    *http.ServeMux
	forms  map[string]func(Problem) any // by pattern
	// closing ends when streams shall end.
	closing context.Context //nolint:containedctx // of the server, not of a call
	close   context.CancelFunc
	// draining ends when the server is to get no new requests.
	draining context.Context //nolint:containedctx // of the server, not of a call
	drain    context.CancelFunc
}

// New returns a server of routes. Patterns that conflict panic, as in [http.ServeMux].
func New(routes []Route, o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Options: o, limits: newLimiter(o.Limits, o.Now), mux: http.NewServeMux(), forms: make(map[string]func(Problem) any)}
	s.closing, s.close = context.WithCancel(context.Background())
	s.draining, s.drain = context.WithCancel(context.Background())
	for i := range routes {
		s.mux.Handle(routes[i].Pattern, s.bounded(&routes[i], s.authorized(&routes[i], s.admitted(&routes[i]))))
		s.forms[routes[i].Pattern] = routes[i].Failure
	}
	s.handle = s.logged(s.guarded(answerUnknown(s.mux)))
	s.server = http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		HTTP2:    &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: writeTime},
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	s.server.BaseContext = func(net.Listener) context.Context {
		return context.WithValue(context.Background(), drainKey{}, s.draining)
	}
	if o.Certificate != nil {
		s.server.TLSConfig = &tls.Config{GetCertificate: o.Certificate, MinVersion: tls.VersionTLS12, NextProtos: append([]string{"h2", "http/1.1"}, o.Protocols...)}
	}
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 { // a proxy may go by a length that came with it. Source: RFC 9112, section 6.3
		w.Header().Set("Connection", "close")
	}
	s.handle(w, r)
}

// Serve answers the connections of a listener, until [Server.Shutdown].
func (s *Server) Serve(l net.Listener) error {
	l = s.limits.listen(l)
	var err error
	if s.server.TLSConfig != nil {
		err = s.server.ServeTLS(l, "", "")
	} else {
		err = s.server.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Drain makes /readyz say that the server is not ready, and answers all requests as before: a balancer that sees it sends
// them elsewhere.
func (s *Server) Drain() { s.drain() }

// Shutdown ends streams, and waits until ctx ends for other requests. Those that are not done then are cut.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain()
	s.close()
	err := s.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.server.Close())
	}
	return err
}

// bounded limits the body of a request and the time that it may take.
func (s *Server) bounded(route *Route, next http.HandlerFunc) http.HandlerFunc {
	most := route.MaxBody
	if most == 0 {
		most = DefaultBody
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if most > 0 {
			r.Body = http.MaxBytesReader(w, r.Body, most)
		}
		if route.Stream {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(s.closing, cancel)()
			next(w, r.WithContext(ctx))
			return
		}
		c, now := http.NewResponseController(w), s.Now()
		_, _ = c.SetReadDeadline(now.Add(bodyTime)), c.SetWriteDeadline(now.Add(cmp.Or(route.Reply, replyTime))) // a test has none
		next(w, r)
	}
}

// answerUnknown answers what no route matches, and paths that are written in another way, in the form of other failures.
func answerUnknown(mux *http.ServeMux) http.HandlerFunc {
	redirects := reflect.TypeOf(http.RedirectHandler("/", http.StatusTemporaryRedirect))
	return func(w http.ResponseWriter, r *http.Request) {
		handler, pattern := mux.Handler(r)
		if pattern != "" && reflect.TypeOf(handler) != redirects {
			mux.ServeHTTP(w, r)
			return
		}
		probe := &headerOnly{header: http.Header{}}
		handler.ServeHTTP(probe, r) // 404, 405 with Allow, or a redirect to the clean path
		for _, name := range []string{"Allow", "Location"} {
			if v := probe.header.Get(name); v != "" {
				w.Header().Set(name, v)
			}
		}
		status := probe.status
		p := Problem{Status: status, Code: hippo.CodeNotFound, Detail: "there is nothing at this path"}
		if status == http.StatusMethodNotAllowed {
			p.Code, p.Detail = hippo.CodeUnsupported, "this path does not take the method; it takes "+probe.header.Get("Allow")
		}
		if to := probe.header.Get("Location"); to != "" {
			p.Detail = "this path is written " + to
		}
		writeProblem(w, p)
	}
}

// headerOnly keeps the status and the header of an answer.
type headerOnly struct {
	header http.Header
	status int
}

// Header implements [http.ResponseWriter].
func (h *headerOnly) Header() http.Header { return h.header }

// Write implements [http.ResponseWriter].
func (h *headerOnly) Write(b []byte) (int, error) {
	if h.status == 0 {
		h.status = http.StatusOK
	}
	return len(b), nil
}

// WriteHeader implements [http.ResponseWriter].
func (h *headerOnly) WriteHeader(status int) { h.status = status }
