package httpd

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/hippo-memory/hippo"
)

// admitted calls the handler of a route when it is the turn of a request. Nobody waits for the token or the body of another
// caller: the body is read before the request takes one of the slots that all callers share, and a caller has a part of
// them at most. A caller without a token is its address.
func (s *Server) admitted(route *Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if route.Probe {
			route.Handler.ServeHTTP(w, r)
			return
		}
		kind, own := "request of ", s.limits.perCaller()
		if route.Stream {
			kind, own = "stream of ", s.limits.streamsPerCaller()
		}
		leave, ok := s.limits.enter(r.Context(), kind+callerKeyOf(r), own)
		if !ok {
			s.tooMany(w, r)
			return
		}
		defer leave()
		if route.Stream {
			route.Handler.ServeHTTP(w, r)
			return
		}
		if route.MaxBody >= 0 {
			r.Body = arrived(r.Body)
		}
		end, ok := s.limits.begin(r.Context())
		if !ok {
			w.Header().Set("Retry-After", "1")
			note(r.Context(), func(e *entry) { e.refused = RefusedLimit })
			s.problem(w, r, Problem{Status: http.StatusServiceUnavailable, Code: hippo.CodeUnavailable, Detail: "too many requests at a time: try again"})
			return
		}
		defer end()
		route.Handler.ServeHTTP(w, r)
	}
}

// callerKeyOf names the caller of a request: by its token, or by its address without one.
func callerKeyOf(r *http.Request) string {
	if name := CallerOf(r.Context()).Name; name != "" {
		return "token " + name
	}
	return "address " + hostOf(r)
}

// hostOf returns the address that a request comes from, without the port.
func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// arrived reads a body, which is bounded, and returns one that has arrived: the bytes, and then the error, if there was one.
func arrived(body io.ReadCloser) io.ReadCloser {
	b, err := io.ReadAll(body)
	all := io.Reader(bytes.NewReader(b))
	if err != nil {
		all = io.MultiReader(all, failing{err})
	}
	return struct {
		io.Reader
		io.Closer
	}{all, body}
}

// failing is a reader that fails.
type failing struct{ err error }

// Read implements [io.Reader].
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// places are those of one caller. users counts who has one or waits, under the lock of the limiter.
type places struct {
	taken chan struct{}
	users int
}

// maxWaiting is how many requests of a caller wait for a place. Each holds some 10 KB.
const maxWaiting = 256

// enter waits for a place of a caller, of which it has n; false if there is none in time, or too many wait.
func (l *limiter) enter(ctx context.Context, caller string, n int) (leave func(), ok bool) {
	l.mu.Lock()
	p := l.callers[caller]
	if p == nil {
		p = &places{taken: make(chan struct{}, n)}
		l.callers[caller] = p
	}
	if p.users >= n+maxWaiting {
		l.mu.Unlock()
		return nil, false
	}
	p.users++
	l.mu.Unlock()
	done := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if p.users--; p.users == 0 {
			delete(l.callers, caller)
		}
	}
	if !take(ctx, p.taken) {
		done()
		return nil, false
	}
	return func() {
		<-p.taken
		done()
	}, true
}

// perCaller is how many requests of one caller are answered at a time, streamsPerCaller how many streams it has: agents that
// share a token have one each.
func (l *limiter) perCaller() int        { return max(1, l.Requests/4) }
func (l *limiter) streamsPerCaller() int { return max(1, l.Requests/2) }

// perAddress is how many connections of one address are open at a time.
func (l *limiter) perAddress() int { return max(1, l.Connections/2) }

// addressListener closes connections of an address that has too many.
type addressListener struct {
	net.Listener
	limits *limiter
}

// Accept implements [net.Listener].
func (a addressListener) Accept() (net.Conn, error) {
	for {
		c, err := a.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(c.RemoteAddr().String())
		if err != nil { // a listener of a test
			return c, nil
		}
		if a.limits.connected(host, 1) {
			return &countedConn{Conn: c, closed: sync.OnceFunc(func() { a.limits.connected(host, -1) })}, nil
		}
		a.limits.connected(host, -1)
		_ = c.Close()
	}
}

// connected counts connections of an address, and reports whether they are as many as it may have.
func (l *limiter) connected(host string, by int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.connections[host] + by
	if l.connections[host] = n; n == 0 {
		delete(l.connections, host)
	}
	return n <= l.perAddress()
}

// countedConn counts no more when it is closed.
type countedConn struct {
	net.Conn
	closed func()
}

// Close implements [net.Conn].
func (c *countedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}
