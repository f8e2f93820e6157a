package mcpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// The messages of a client.
const (
	newest     = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	waitCall   = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait","arguments":{}}}`
	cancelCall = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	modernCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// waiting is a server with a tool that waits until the test lets it go on.
type waiting struct {
	http.Handler
	began, proceed chan struct{}
	ended          chan error // what ended the context of a call; nil if nothing did
}

// newWaiting returns a server with a tool named wait, as [mount] serves it.
func newWaiting(o *mcpserver.StreamableOptions) *waiting {
	w := &waiting{began: make(chan struct{}), proceed: make(chan struct{}), ended: make(chan error, 1)}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		w.began <- struct{}{}
		select {
		case <-w.proceed:
			w.ended <- nil
		case <-ctx.Done():
			w.ended <- ctx.Err()
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "waited"}}}, nil, nil
	})
	h := mcpserver.Streamable(server, o)
	w.Handler = mount([]httpd.Route{{Pattern: "POST /mcp", Handler: h}, {Pattern: "GET /mcp", Handler: h}, {Pattern: "DELETE /mcp", Handler: h}})
	return w
}

// open begins a session.
func (c *httpClient) open(t *testing.T) {
	t.Helper()
	c.version = ""
	c.send(t, newest)
	c.reply(t)
	c.version = "2025-11-25"
	c.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// TestStreamable_Resume: the answer to a call whose client lost the connection is sent to the client that asks for
// what came after the last event that it saw.
func TestStreamable_Resume(t *testing.T) {
	t.Parallel()
	w := newWaiting(nil)
	c := serveHTTP(t, w)
	c.open(t)
	ctx, disconnect := context.WithCancel(t.Context())
	response, err := c.client.Do(c.request(t, http.MethodPost, waitCall).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	<-w.began
	var first event
	for lines := bufio.NewScanner(response.Body); lines.Scan() && lines.Text() != ""; {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			first.id = id
		}
	}
	disconnect()
	_ = response.Body.Close()
	w.proceed <- struct{}{}
	if err := <-w.ended; err != nil {
		t.Errorf("the call ended with its connection: %v", err)
	}
	r := c.request(t, http.MethodGet, "")
	r.Header.Set("Last-Event-ID", first.id)
	status, body := c.do(t, r)
	if status != http.StatusOK || !strings.Contains(body, `"text":"waited"`) || first.id == "" {
		t.Errorf("after %q: %d %q", first.id, status, body)
	}
	for id, want := range map[string]string{"x": "malformed Last-Event-ID", "unknown_0": "failed to replay events"} {
		r = c.request(t, http.MethodGet, "")
		r.Header.Set("Last-Event-ID", id)
		if status, body := c.do(t, r); status != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("after %q: %d %q", id, status, body)
		}
	}
}

// TestStreamable_Cancel: a client of a session cancels a call by a notification, one without a session by going away.
func TestStreamable_Cancel(t *testing.T) {
	t.Parallel()
	w := newWaiting(nil)
	c := serveHTTP(t, w)
	c.open(t)
	answered := make(chan string)
	go func() {
		response, err := c.client.Do(c.request(t, http.MethodPost, waitCall))
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close() //nolint:errcheck // it was read
		body, _ := io.ReadAll(response.Body)
		answered <- string(body)
	}()
	<-w.began
	if status, body := c.do(t, c.request(t, http.MethodPost, cancelCall)); status != http.StatusAccepted {
		t.Errorf("cancel: %d %s", status, body)
	}
	if err := <-w.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if body := <-answered; !strings.Contains(body, `"id":7`) {
		t.Errorf("the answer is %s", body)
	}
	ctx, leave := context.WithCancel(t.Context())
	c.id, c.version = "", ""
	go func() {
		_, err := c.client.Do(c.request(t, http.MethodPost, modernCall).WithContext(ctx)) //nolint:bodyclose // there is none
		answered <- fmt.Sprint(err)
	}()
	<-w.began
	leave()
	<-answered
	if err := <-w.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("its client left: %v", err)
	}
}

// TestStreamable_Refusals: what a client can get wrong has a status, and a JSON-RPC error that says what.
func TestStreamable_Refusals(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, tc := range map[string]struct {
		method, body  string
		header, value string
		status        int
		want          string
	}{
		"content type":         {"POST", ping, "Content-Type", "text/plain", 415, "Content-Type must be application/json"},
		"no content type":      {"POST", ping, "Content-Type", "", 415, "Content-Type must be application/json"},
		"accept":               {"POST", ping, "Accept", "application/json", 400, "Accept must contain both"},
		"no accept":            {"POST", ping, "Accept", "", 400, "Accept must contain both"},
		"empty":                {"POST", "", "", "", 400, "message is not JSON"},
		"not JSON":             {"POST", `{"jsonrpc":`, "", "", 400, "message is not JSON"},
		"not UTF-8":            {"POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}", "", "", 400, "not UTF-8"},
		"huge":                 {"POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("y", 8<<20) + `"}}`, "", "", 413, "at most 8388608 bytes"},
		"inexact id":           {"POST", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "", "", 400, "id must be a text, or a whole number"},
		"unknown session":      {"POST", ping, "Mcp-Session-Id", "ABC", 404, "session not found"},
		"unknown session GET":  {"GET", "", "Mcp-Session-Id", "ABC", 404, "session not found"},
		"GET without session":  {"GET", "", "", "", 400, "requires an Mcp-Session-Id"},
		"end without session":  {"DELETE", "", "", "", 400, "requires an Mcp-Session-Id"},
		"old version":          {"POST", ping, "Mcp-Protocol-Version", "1999-01-01", 400, "2025-11-25"},
		"future version":       {"POST", ping, "Mcp-Protocol-Version", "2999-01-01", 400, ""},
		"GET without sessions": {"GET", "", "Mcp-Protocol-Version", "2026-07-28", 405, "Method Not Allowed"},
		"no method header":     {"POST", modernCall, "Mcp-Method", "", 400, "Mcp-Method"},
		"other method header":  {"POST", modernCall, "Mcp-Method", "ping", 400, "Mcp-Method"},
		"no version header":    {"POST", modernCall, "Mcp-Protocol-Version", "", 400, "Mcp-Protocol-Version"},
		"resumed POST":         {"POST", ping, "Last-Event-ID", "x_1", 400, "Last-Event-ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serveHTTP(t, newWaiting(nil))
			r := c.request(t, tc.method, tc.body)
			if tc.header != "" {
				r.Header.Del(tc.header)
			}
			if tc.value != "" {
				r.Header.Set(tc.header, tc.value)
			}
			status, body := c.do(t, r)
			if status != tc.status || !strings.Contains(body, tc.want) || !strings.HasPrefix(body, `{"jsonrpc":"2.0","`) || !strings.Contains(body, `"error":{`) {
				t.Errorf("%d %s, want %d with %q", status, body, tc.status, tc.want)
			}
		})
	}
}

// TestStreamable_BehindAProxy: a request that a reverse proxy on this machine passes on has a foreign Host. Package
// httpd knows which names are allowed.
func TestStreamable_BehindAProxy(t *testing.T) {
	t.Parallel()
	c := serveHTTP(t, newWaiting(nil))
	r := c.request(t, http.MethodPost, newest)
	r.Host = "memory.example.org"
	if status, body := c.do(t, r); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
}

// TestStreamable_WithoutInitialize: calls of every version work without a session, and leave none.
func TestStreamable_WithoutInitialize(t *testing.T) {
	t.Parallel()
	s := newHTTP(t)
	for _, version := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		s.http.version = version
		s.must("hippo_status", object{}, nil)
		if id := s.http.last.Header.Get("Mcp-Session-Id"); id != "" {
			t.Errorf("%q: session %s", version, id)
		}
	}
}

// TestStreamable_BoundOfSessions: one session too many closes one of the caller that has the most, the one whose last
// request is the oldest.
func TestStreamable_BoundOfSessions(t *testing.T) {
	t.Parallel()
	first := serveHTTP(t, newWaiting(&mcpserver.StreamableOptions{MaxSessions: 3}))
	client := func(caller string) *httpClient {
		c := &httpClient{url: first.url, client: first.client, caller: caller}
		c.open(t)
		return c
	}
	other := client("other")
	a, b := client("user"), client("user")
	status := func(c *httpClient) int {
		got, _ := c.do(t, c.request(t, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		return got
	}
	status(a) // b is the oldest now
	last := client("user")
	for name, x := range map[string]struct {
		c    *httpClient
		want int
	}{"of the other caller": {other, 200}, "used last but one": {a, 200}, "used before": {b, 404}, "new": {last, 200}} {
		if got := status(x.c); got != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
}

// record sends a request without a network.
func (w *waiting) record(t *testing.T, c *httpClient, method, text string) *httptest.ResponseRecorder {
	t.Helper()
	r := c.request(t, method, text)
	r.RequestURI, r.URL.Host = "/mcp", ""
	out := httptest.NewRecorder()
	w.ServeHTTP(out, r)
	return out
}

// TestStreamable_SessionTimeout: a session without messages is closed.
func TestStreamable_SessionTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiting(&mcpserver.StreamableOptions{SessionTimeout: time.Hour})
		c := &httpClient{url: "http://host/mcp", caller: "user"}
		c.id = w.record(t, c, http.MethodPost, newest).Header().Get("Mcp-Session-Id")
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		for _, x := range []struct {
			after time.Duration
			want  int
		}{{59 * time.Minute, 200}, {59 * time.Minute, 200}, {61 * time.Minute, 404}} {
			time.Sleep(x.after)
			synctest.Wait()
			if got := w.record(t, c, http.MethodPost, ping); got.Code != x.want {
				t.Errorf("after %s: %d %s, want %d", x.after, got.Code, got.Body, x.want)
			}
		}
	})
}

// TestStreamable_BoundOfCalls: one call too many is refused, and others work when one has ended.
func TestStreamable_BoundOfCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiting(nil)
		w.ended = make(chan error, mcpserver.MaxCalls+1)
		c := &httpClient{url: "http://host/mcp", caller: "user"}
		done := make(chan string, mcpserver.MaxCalls)
		for range mcpserver.MaxCalls {
			go func() { done <- w.record(t, c, http.MethodPost, waitCall).Body.String() }()
			<-w.began
		}
		if got := w.record(t, c, http.MethodPost, waitCall).Body.String(); !strings.Contains(got, "server is busy") || !strings.Contains(got, "-32000") {
			t.Errorf("one more: %s", got)
		}
		close(w.proceed)
		for range mcpserver.MaxCalls {
			if got := <-done; !strings.Contains(got, "waited") {
				t.Errorf("got %s", got)
			}
		}
		go func() { <-w.began }()
		if got := w.record(t, c, http.MethodPost, waitCall).Body.String(); !strings.Contains(got, "waited") {
			t.Errorf("afterwards: %s", got)
		}
	})
}

// slowResponse is a response whose connection has a slow body; a read deadline ends the body.
type slowResponse struct {
	*httptest.ResponseRecorder
	body *io.PipeWriter
}

func (d slowResponse) SetReadDeadline(at time.Time) error {
	if !at.IsZero() {
		_ = d.body.CloseWithError(os.ErrDeadlineExceeded) // it never fails
	}
	return nil
}

// TestStreamable_SlowBody: a body that does not arrive is not waited for.
func TestStreamable_SlowBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiting(nil)
		r := (&httpClient{url: "http://host/mcp", caller: "user"}).request(t, http.MethodPost, "")
		body, in := io.Pipe()
		r.Body, r.RequestURI, r.URL.Host = body, "/mcp", ""
		out := slowResponse{httptest.NewRecorder(), in}
		w.ServeHTTP(out, r)
		if out.Code != http.StatusRequestTimeout || !strings.Contains(out.Body.String(), "within 30s") {
			t.Errorf("%d %s", out.Code, out.Body)
		}
	})
}

// TestStreamable_LargeBody: behind the HTTP server a message may be as large as over stdio.
func TestStreamable_LargeBody(t *testing.T) {
	t.Parallel()
	s := newHTTP(t)
	routes := s.routes()
	for i := range routes {
		routes[i].Rights = 0 // there are no tokens
	}
	c := serveHTTP(t, httpd.New(routes, httpd.Options{}))
	for size, want := range map[int]int{5 << 20: http.StatusOK, 9 << 20: http.StatusRequestEntityTooLarge} {
		text := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("y", size) + `"}}`
		if status, body := c.do(t, c.request(t, http.MethodPost, text)); status != want {
			t.Errorf("%d bytes: %d %.200s", size, status, body)
		}
	}
}
