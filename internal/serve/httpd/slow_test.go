package httpd_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// serveSlow serves routes with few slots on a socket, one of them open to strangers with a body.
func serveSlow(t *testing.T) (address string) {
	t.Helper()
	all := append(routes(), httpd.Route{Pattern: "POST /login", Handler: http.HandlerFunc(echo)})
	all = append(all, httpd.Health(func(context.Context) (*engine.Engine, error) { return nil, nil })...)
	s := httpd.New(all, httpd.Options{Tokens: known, Limits: httpd.Limits{Requests: 8}})
	return listen(t, s)
}

// listen serves on a socket until the test ends.
func listen(t *testing.T, s *httpd.Server) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // those that are slow are cut
		_ = s.Shutdown(ctx)
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// begin sends the head of a request, and as much of the body as is given.
func begin(t *testing.T, address, head, body string) *bufio.Reader {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := fmt.Fprintf(c, "%s\r\nHost: localhost\r\n\r\n%s", head, body); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(c)
}

func status(t *testing.T, address, path, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("X-API-Key", token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// Bodies that do not come, of strangers or of another token, take nothing from a caller with a token, nor from probes.
func TestServer_SlowBodies(t *testing.T) {
	t.Parallel()
	address := serveSlow(t)
	for range 40 {
		begin(t, address, "POST /login HTTP/1.1\r\nContent-Length: 50", "ab")
		begin(t, address, "POST /write HTTP/1.1\r\nX-API-Key: writer\r\nContent-Length: 50", "ab")
	}
	for range 20 {
		for path, token := range map[string]string{"/read": "reader", "/healthz": "", "/readyz": ""} {
			if got := status(t, address, path, token); got != http.StatusOK {
				t.Errorf("%s: status %d", path, got)
			}
		}
	}
}

// Streams of one token leave those of others.
func TestServer_ManyStreams(t *testing.T) {
	t.Parallel()
	address := serveSlow(t)
	for range 4 {
		if line, err := begin(t, address, "GET /stream HTTP/1.1\r\nX-API-Key: writer", "").ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("a stream: %q, %v", line, err)
		}
	}
	begin(t, address, "GET /stream HTTP/1.1\r\nX-API-Key: writer", "") // waits
	if line, err := begin(t, address, "GET /stream HTTP/1.1\r\nX-API-Key: reader", "").ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Errorf("a stream of another token: %q, %v", line, err)
	}
}

// What follows a body in chunks is not answered: a proxy may have gone by a length that came with it, and have taken the rest
// for a part of the body.
func TestServer_TwoLengths(t *testing.T) {
	t.Parallel()
	address := serveSlow(t)
	r := begin(t, address, "POST /login HTTP/1.1\r\nContent-Length: 6\r\nTransfer-Encoding: chunked", "0\r\n\r\nGET /open HTTP/1.1\r\nHost: localhost\r\n\r\n")
	first, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Body.Close()
	if !first.Close {
		t.Error("the connection stays open")
	}
	if second, err := http.ReadResponse(r, nil); err == nil {
		_ = second.Body.Close()
		t.Errorf("a second request was answered: %s", second.Status)
	} else if errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
