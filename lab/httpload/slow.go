package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// bodies is the number of clients that send large bodies, each bodySize bytes.
	bodies   = 4
	bodySize = 1 << 30
	// drip is the time between two bytes of a header.
	drip = time.Second
)

// disturb starts clients that are slow or hostile. They come again when the server closes their connection. The
// function that it returns ends them.
func (o *options) disturb() (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	begin := func(n int, f func(context.Context) error) {
		for range n {
			wg.Go(func() {
				for ctx.Err() == nil {
					if err := f(ctx); err != nil { // it was refused or cut off, which is what should happen
						pause(ctx, drip)
					}
				}
			})
		}
	}
	begin(o.slow, o.idle)
	begin(o.slow/10, o.slowHeader)
	begin(bodies, o.largeBody)
	pause(ctx, 3*time.Second) // until they are connected
	conn, err := o.dial(ctx)
	if err != nil {
		cancel()
		wg.Wait()
		return nil, fmt.Errorf("beside %d slow clients the server takes no connection: %w", o.slow, err)
	}
	return func() {
		cancel()
		wg.Wait()
	}, conn.Close()
}

// pause waits.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (o *options) dial(ctx context.Context) (net.Conn, error) {
	host := o.base.Host
	if o.base.Port() == "" {
		host = net.JoinHostPort(o.base.Hostname(), map[string]string{"http": "80", "https": "443"}[o.base.Scheme])
	}
	if o.base.Scheme == "https" {
		return (&tls.Dialer{}).DialContext(ctx, "tcp", host)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", host)
}

// idle connects and sends nothing until the server closes the connection.
func (o *options) idle(ctx context.Context) error {
	conn, err := o.dial(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	_, err = io.Copy(io.Discard, conn)
	return errors.Join(err, conn.Close())
}

// slowHeader sends a header that never ends, a byte at a time.
func (o *options) slowHeader(ctx context.Context) error {
	conn, err := o.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it is hostile
	if _, err := fmt.Fprintf(conn, "POST /api/recall HTTP/1.1\r\nHost: %s\r\nX-Slow: ", o.base.Host); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if _, err := conn.Write([]byte("x")); err != nil {
			return err
		}
		pause(ctx, drip)
	}
	return nil
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// largeBody sends a body of 1 GB with a valid token.
func (o *options) largeBody(ctx context.Context) error {
	body := io.LimitReader(endless{}, bodySize)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base.String()+"/api/remember", body)
	if err != nil {
		return err
	}
	r.ContentLength = bodySize
	r.Header.Set("Authorization", "Bearer "+o.token)
	r.Header.Set("Content-Type", "application/json")
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := c.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close() //nolint:errcheck // it is not of interest
	if a.StatusCode < http.StatusBadRequest {
		return fmt.Errorf("a body of 1 GB was answered with %d", a.StatusCode)
	}
	return errors.New("refused")
}
