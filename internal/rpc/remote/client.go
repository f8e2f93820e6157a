package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rpc"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// ClientOptions say whom a client calls, and as whom.
type ClientOptions struct {
	// Address is that of the server, such as https://host:8420.
	Address string
	Token   secret.Value
	// Version is that of the program.
	Version string
	// Transport sends requests; nil: one like [http.DefaultTransport].
	Transport http.RoundTripper
	// Pauses are those before a call is repeated; nil: together what a server needs to start again.
	Pauses []time.Duration
}

// Client calls the verbs of a server. It implements [engine.Remote], and is safe for concurrent use.
type Client struct {
	ClientOptions
	protocol string // that of this program
	http     http.Client
	answered atomic.Bool // the server has answered before
}

var _ engine.Remote = (*Client)(nil)

// NewClient returns a client. It connects with the first call.
func NewClient(o ClientOptions) *Client {
	c := &Client{ClientOptions: o, protocol: Protocol()}
	if c.Pauses == nil {
		const ms = time.Millisecond
		c.Pauses = []time.Duration{50 * ms, 200 * ms, 500 * ms, 1000 * ms, 2000 * ms}
	}
	if t, ok := http.DefaultTransport.(*http.Transport); ok && o.Transport == nil {
		t = t.Clone()
		t.MaxIdleConnsPerHost = 16
		c.Transport = t
	}
	c.http = http.Client{Transport: c.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a token is for one server
	}}
	return c
}

// Here implements [engine.Remote]: the store is not of this machine.
func (c *Client) Here(context.Context) (*engine.Engine, func() error, error) {
	return nil, nil, fmt.Errorf("%w, %s", engine.ErrAway, c.Address)
}

// Close implements [engine.Remote].
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Call implements [engine.Remote]. A call that may have been carried out is repeated with Retried set, see
// [engine.Call]; one that the server did not receive is repeated only if the server has answered before.
func (c *Client) Call(ctx context.Context, call *engine.Call, out any) error {
	var lost *lostError
	sent := false
	for attempt := 0; ; attempt++ {
		body, err := rpc.Encode(call)
		switch {
		case err != nil:
			return fmt.Errorf("%w: %s: %w", hippo.ErrInvalid, call.Verb, err)
		case len(body) > maxCall:
			return fmt.Errorf("%w: a call has %d bytes, at most %d go to a server", hippo.ErrInvalid, len(body), maxCall)
		}
		reply, failed, err := c.send(ctx, http.MethodPost, body, timesOf(call.Verb).attempt)
		if !errors.As(err, &lost) {
			if err != nil {
				return err
			}
			return rpc.Decode(reply, failed, out)
		}
		if lost.sent && c.speaksTLS(ctx) {
			return c.gone(call, &lostError{error: errTLSOnly}, false)
		}
		sent = sent || lost.sent
		if attempt == len(c.Pauses) || lost.final || !lost.sent && !sent && !lost.again && !c.answered.Load() {
			return c.gone(call, lost, sent)
		}
		call.Retried = call.Retried || lost.sent
		if err := pause(ctx, c.Pauses[attempt]); err != nil {
			return err
		}
	}
}

// gone is the error of a call without a reply.
func (c *Client) gone(call *engine.Call, lost *lostError, sent bool) error {
	if sent && engine.Changes(call.Verb) {
		return fmt.Errorf("%w: %s: %w; whether the change is stored is not known: look before you repeat it", hippo.ErrUnavailable, c.Address, lost)
	}
	return fmt.Errorf("%w: %s: %w", hippo.ErrUnavailable, c.Address, lost)
}

// Greet asks the server who it is and what the token allows.
func (c *Client) Greet(ctx context.Context) (g Greeting, err error) {
	reply, failed, err := c.send(ctx, http.MethodGet, nil, shortTimes().attempt)
	if lost, ok := errors.AsType[*lostError](err); ok {
		return g, fmt.Errorf("%w: %s: %w", hippo.ErrUnavailable, c.Address, lost)
	}
	if err == nil {
		err = rpc.Decode(reply, failed, &g)
	}
	return g, err
}

// lostError says that there is no reply of the server.
type lostError struct {
	error
	sent  bool // the call may have been carried out
	again bool // the server asks to try again
	final bool // trying again is of no use
}

func (e *lostError) Unwrap() error { return e.error }

// send makes one attempt, which may take limit. The error is a [*lostError], or one of the call.
func (c *Client) send(ctx context.Context, method string, body []byte, limit time.Duration) (reply []byte, failed bool, err error) {
	attempt, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	connected := false
	attempt = httptrace.WithClientTrace(attempt, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	r, err := http.NewRequestWithContext(attempt, method, c.Address+Path, bytes.NewReader(body))
	if err != nil {
		return nil, false, fmt.Errorf("%w: the address of the server: %w", hippo.ErrInvalid, err)
	}
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("User-Agent", "hippo")
	r.Header.Set(protocolHeader, c.protocol)
	r.Header.Set(versionHeader, c.Version)
	if t := c.Token.Reveal(); t != "" {
		r.Header.Set("Authorization", "Bearer "+t)
	}
	answer, err := c.http.Do(r)
	if err == nil {
		defer answer.Body.Close() //nolint:errcheck // it was read
		reply, err = io.ReadAll(io.LimitReader(answer.Body, maxReply+1))
	}
	switch {
	case err == nil && len(reply) > maxReply:
		return nil, false, fmt.Errorf("%w: the reply has more than %d bytes: ask for less at a time", hippo.ErrUnsupported, maxReply)
	case err == nil:
		c.answered.Store(true)
		return c.read(answer, reply)
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	case attempt.Err() != nil:
		return nil, false, &lostError{error: fmt.Errorf("no answer within %v", limit), sent: connected, final: true}
	}
	if u, ok := errors.AsType[*url.Error](err); ok { // it repeats the address
		err = u.Err
	}
	err, final := explained(err)
	return nil, false, &lostError{error: err, sent: connected, final: final}
}

// read returns the reply in an answer.
func (c *Client) read(a *http.Response, body []byte) (reply []byte, failed bool, err error) {
	outcome := a.Header.Get(outcomeHeader)
	if p := a.Header.Get(protocolHeader); outcome != "" && p != c.protocol {
		return nil, false, differs("the server", a.Header.Get(versionHeader), p, "this program", c.Version, c.protocol)
	}
	if outcome == outcomeResult || outcome == outcomeFailure {
		return body, outcome == outcomeFailure, nil
	}
	if kind, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";"); kind == "application/problem+json" {
		var p httpd.Problem
		if err := json.Unmarshal(body, &p); err == nil && p.Code != "" {
			return nil, false, c.refused(a.StatusCode, &p)
		}
	}
	if wantsTLS(a, body) {
		return nil, false, &lostError{error: errTLSOnly, final: true}
	}
	return nil, false, c.foreign(a)
}

// refused returns the error of a request that did not come to the route.
func (c *Client) refused(status int, p *httpd.Problem) error {
	detail := secret.Redact(fmt.Sprintf("%.300s", p.Detail), c.Token)
	switch status {
	case http.StatusUnauthorized:
		return fmt.Errorf("%w: %s: %s; hippo login %s, or $HIPPO_TOKEN", hippo.ErrForbidden, c.Address, detail, c.Address)
	case http.StatusNotFound:
		return fmt.Errorf("%w: %s is no server for other stores to use: it is older than this program, or the path is wrong", hippo.ErrUnsupported, c.Address)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return &lostError{error: errors.New(detail), again: true}
	default:
		return fmt.Errorf("%w: %s: %s", cmp.Or(hippo.ErrorOf(p.Code), hippo.ErrUnavailable), c.Address, detail)
	}
}

// foreign returns the error of an answer that is not one of hippo, such as the page of a proxy.
func (c *Client) foreign(a *http.Response) error {
	what := fmt.Errorf("it answered %q with %.60q, which is not from hippo: is this the address of a server, and does a proxy before it pass everything on?",
		a.Status, a.Header.Get("Content-Type"))
	switch a.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout: // the proxy lost the server
		return &lostError{error: what, sent: true}
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		to := secret.RedactURL(strings.TrimSuffix(a.Header.Get("Location"), Path))
		return &lostError{error: fmt.Errorf("it leads to %.200q: use that address", to), final: true}
	}
	return &lostError{error: what, final: true, sent: true}
}

// pause waits; the error is that of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
