package pgtest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Fault is what a proxy does to something that a client sends.
type Fault int

// The faults.
const (
	// Pass: nothing.
	Pass Fault = iota
	// CutBefore cuts the connection before the server has it.
	CutBefore
	// CutAfter cuts the connection when the server has it.
	CutAfter
	// Swallow cuts the connection instead of passing the answer on.
	Swallow
	// Linger cuts the connection of the client, and passes it on some time later.
	Linger
	// Delay passes it on some time later.
	Delay
)

// Faults returns all faults but Pass.
func Faults() []Fault { return []Fault{CutBefore, CutAfter, Swallow, Linger, Delay} }

// later is the time of Linger and Delay.
const later = 30 * time.Millisecond

// proxy passes connections on to a server, and disturbs them.
type proxy struct {
	listener net.Listener
	server   func() (net.Conn, error)
	choose   func(commit bool) Fault
	running  sync.WaitGroup
}

// Proxy starts a proxy before a database, until t ends, and returns the URL of the database through it. choose is called, by several
// goroutines, for all that clients send: with a commit or without.
func Proxy(t testing.TB, database string, choose func(commit bool) Fault) string {
	t.Helper()
	config, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	p := &proxy{choose: choose, server: func() (net.Conn, error) { return (&net.Dialer{}).DialContext(t.Context(), network, address) }}
	if p.listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.listener.Close() // nothing is to be done
		p.running.Wait()
	})
	p.running.Go(p.serve)
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: p.listener.Addr().String(),
		Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := p.server()
		if err != nil {
			_ = client.Close() // the client notices
			continue
		}
		c := &link{client: client, server: server, choose: p.choose}
		p.running.Go(c.forward)
		p.running.Go(c.backward)
	}
}

// link is one connection through a proxy.
type link struct {
	client, server net.Conn
	choose         func(commit bool) Fault
	mu             sync.Mutex
	swallow        bool // the next answer
}

func (l *link) close() {
	_ = l.client.Close() // both may be closed already
	_ = l.server.Close()
}

// forward passes on what the client sends. A commit is at the end of what it sends at once.
func (l *link) forward() {
	defer l.close()
	buffer := make([]byte, 1<<20)
	for {
		n, err := l.client.Read(buffer)
		if err != nil {
			return
		}
		fault := l.choose(bytes.Contains(buffer[:n], []byte("\x00COMMIT\x00")))
		switch fault {
		case CutBefore:
			return
		case Swallow:
			l.mu.Lock()
			l.swallow = true
			l.mu.Unlock()
		case Linger:
			_ = l.client.Close() // backward ends then
			time.Sleep(later)
		case Delay:
			time.Sleep(later)
		case Pass, CutAfter:
		}
		if _, err := l.server.Write(buffer[:n]); err != nil || fault == CutAfter {
			return
		}
	}
}

// backward passes on what the server answers.
func (l *link) backward() {
	defer l.client.Close() //nolint:errcheck // it may be closed already
	buffer := make([]byte, 1<<16)
	for {
		n, err := l.server.Read(buffer)
		l.mu.Lock()
		swallow := l.swallow
		l.mu.Unlock()
		if err != nil || swallow {
			return
		}
		if _, err := l.client.Write(buffer[:n]); err != nil {
			return
		}
	}
}
