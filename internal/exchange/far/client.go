package far

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

// patience is how long nothing may be heard of the other end.
const patience = 60 * time.Second

// client asks a [Server] for its folder.
type client struct {
	name     string // in errors
	base     string // of URLs, without [Path]
	header   http.Header
	patience time.Duration
	send     func(*http.Request) (*http.Response, error)
	end      func() error
}

var _ place = (*client)(nil)

// answer is what a server has said, as a whole.
type answer struct {
	*http.Response
	body []byte
}

// OpenServer returns the folder that a server has for a token. Address is like https://HOST. Transport is nil but in tests. It sends
// nothing.
func OpenServer(address string, token secret.Value, transport http.RoundTripper, memo string) *Folder {
	return open(newClient(address, token, transport), memo)
}

// TryServer reports whether a token is one for the folder of a server.
func TryServer(ctx context.Context, address string, token secret.Value) error {
	c := newClient(address, token, nil)
	_, _, _, err := c.list(ctx, "")
	return errors.Join(err, c.close())
}

func newClient(address string, token secret.Value, transport http.RoundTripper) *client {
	if t, ok := http.DefaultTransport.(*http.Transport); ok && transport == nil {
		transport = t.Clone()
	}
	c := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a token is for one server
	}}
	return &client{
		name: address, base: address, patience: patience, send: c.Do, header: http.Header{"Authorization": {"Bearer " + token.Reveal()}},
		end: func() error { c.CloseIdleConnections(); return nil },
	}
}

// list implements the interface.
func (c *client) list(ctx context.Context, tag string) (files []listed, newTag string, same bool, err error) {
	header := http.Header{}
	if tag != "" {
		header.Set("If-None-Match", tag)
	}
	a, err := c.ask(ctx, http.MethodGet, "", header, nil)
	if err != nil {
		return nil, "", false, err
	}
	if a.StatusCode == http.StatusNotModified && tag != "" {
		return nil, tag, true, nil
	}
	if err := json.Unmarshal(a.body, &files); err != nil {
		return nil, "", false, c.foreign(a)
	}
	return files, a.Header.Get("ETag"), false, nil
}

// get implements the interface.
func (c *client) get(ctx context.Context, name string) ([]byte, error) {
	a, err := c.ask(ctx, http.MethodGet, name, nil, nil)
	if err != nil {
		return nil, err
	}
	return a.body, nil
}

// put implements the interface.
func (c *client) put(ctx context.Context, name string, data []byte) error {
	_, err := c.ask(ctx, http.MethodPut, name, http.Header{"If-None-Match": {"*"}}, data)
	return err
}

// remove implements the interface.
func (c *client) remove(ctx context.Context, name string) error {
	_, err := c.ask(ctx, http.MethodDelete, name, nil, nil)
	return err
}

// close implements the interface.
func (c *client) close() error { return c.end() }

// ask sends a request and reads the answer, of which something has to be heard all the time.
func (c *client) ask(ctx context.Context, method, name string, header http.Header, data []byte) (*answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(c.patience, func() {
		cancel(fmt.Errorf("%w: nothing was heard of it for %v", hippo.ErrUnavailable, c.patience))
	})
	defer quiet.Stop()
	heard := func() { quiet.Reset(c.patience) }
	u := c.base + Path
	if name != "" {
		u += "/" + (&url.URL{Path: name}).EscapedPath()
	}
	r, err := http.NewRequestWithContext(ctx, method, u, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", hippo.ErrInvalid, c.name, err)
	}
	if data != nil {
		r.ContentLength = int64(len(data))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(paced{bytes.NewReader(data), heard}), nil }
		r.Body, _ = r.GetBody() // it returns no error
	}
	r.Header.Set("User-Agent", "hippo")
	for _, h := range []http.Header{c.header, header} {
		maps.Copy(r.Header, h)
	}
	response, err := c.send(r)
	if err != nil {
		return nil, c.lost(ctx, err)
	}
	b, err := io.ReadAll(io.LimitReader(paced{response.Body, heard}, folder.MaxFile+1))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, c.lost(ctx, err)
	}
	return c.read(&answer{response, b})
}

// lost is the error of a request without an answer.
func (c *client) lost(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if u, ok := errors.AsType[*url.Error](err); ok { // it repeats the address
		err = u.Err
	}
	return fmt.Errorf("%w: %s: %w", hippo.ErrUnavailable, c.name, err)
}

// read returns an answer, or the error that it is.
func (c *client) read(a *answer) (*answer, error) {
	speaks := a.Header.Get(protocolHeader)
	var p problem
	failed := strings.HasPrefix(a.Header.Get("Content-Type"), "application/problem+json") && json.Unmarshal(a.body, &p) == nil
	p.Detail = fmt.Sprintf("%.300s", p.Detail)
	switch {
	case speaks != "" && speaks != protocol:
		return nil, fmt.Errorf("%w: %s has protocol %.20q, this program has %q: use the same version of hippo on both sides", hippo.ErrUnsupported, c.name, speaks, protocol)
	case len(a.body) > folder.MaxFile:
		return nil, fmt.Errorf("%w: %s: a file of more than %d bytes", hippo.ErrCorrupt, c.name, folder.MaxFile)
	case speaks != "" && (a.StatusCode < http.StatusMultipleChoices || a.StatusCode == http.StatusNotModified || a.StatusCode == http.StatusPreconditionFailed):
		return a, nil
	case a.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("%w: %s: %s; hippo login %s, or $HIPPO_TOKEN", hippo.ErrForbidden, c.name, p.Detail, c.name)
	case a.StatusCode == http.StatusForbidden && speaks == "" && failed:
		return nil, fmt.Errorf("%w: %s: %s: on the server, hippo token create NAME --right=sync creates a token for it", hippo.ErrForbidden, c.name, p.Detail)
	case a.StatusCode == http.StatusNotFound && speaks == "" && failed:
		return nil, fmt.Errorf("%w: %s is no server that machines sync by: it is older than this program, or the path is wrong", hippo.ErrUnsupported, c.name)
	case failed:
		kind := cmp.Or(hippo.ErrorOf(p.Code), hippo.ErrUnavailable)
		return nil, fmt.Errorf("%w: %s: %s", kind, c.name, strings.TrimPrefix(p.Detail, kind.Error()+": "))
	}
	return nil, c.foreign(a)
}

// foreign is the error of an answer that is not one of hippo, such as the page of a proxy.
func (c *client) foreign(a *answer) error {
	if to := a.Header.Get("Location"); to != "" {
		return fmt.Errorf("%w: %s leads to %.200q: use that address", hippo.ErrUnavailable, c.name, strings.TrimSuffix(secret.RedactURL(to), Path))
	}
	return fmt.Errorf("%w: %s answered %q with %.60q, which is not from hippo: is this the address of a server, and does a proxy before it pass everything on?",
		hippo.ErrUnavailable, c.name, a.Status, a.Header.Get("Content-Type"))
}
