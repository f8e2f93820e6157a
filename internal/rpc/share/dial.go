package share

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
)

// Errors of [Dial] and [Conn.Call].
var (
	// ErrNobody: nobody listens.
	ErrNobody = errors.New("nobody listens")
	// ErrRefused: who listens serves another user or another store, or gives no answer.
	ErrRefused = errors.New("refused")
	// ErrBroken: the connection broke before the result; the call may have been carried out.
	ErrBroken = errors.New("connection broke")
)

// Conn is a connection to the process that listens. It is safe for concurrent use.
type Conn struct {
	c      *net.UnixConn
	out    *writer
	heard  heard
	silent atomic.Bool
	// places are of the calls under way: one more would wait there, and nothing behind it would be read.
	places chan struct{}

	mu      sync.Mutex
	number  uint64
	pending map[uint64]chan frame
	broken  chan struct{} // closed when the connection has ended
}

// Dial connects to who listens at an address, and checks that it is a process of the same user, with the same store.
func Dial(ctx context.Context, a Address) (*Conn, error) {
	var d net.Dialer
	raw, err := d.DialContext(ctx, "unix", a.Socket)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	u, ok := raw.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(ErrRefused, raw.Close())
	}
	c := &Conn{c: u, pending: make(map[uint64]chan frame), broken: make(chan struct{}), places: make(chan struct{}, maxCalls)}
	c.heard.in = u
	c.out = &writer{c: u, timeout: chunkTimeout, late: c.silence}
	in := bufio.NewReaderSize(&c.heard, 64<<10)
	if err := c.greet(ctx, a, in); err != nil {
		return nil, errors.Join(err, u.Close())
	}
	go c.receive(in)
	return c, nil
}

// greet says hello and waits for the welcome.
func (c *Conn) greet(ctx context.Context, a Address, in io.Reader) error {
	if err := sameUser(c.c); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	ctx, done := context.WithTimeout(ctx, helloTimeout)
	defer done()
	stop := context.AfterFunc(ctx, func() { _ = c.c.Close() })
	defer stop()
	if err := c.out.write(frame{kind: hello, payload: []byte(a.Identity)}); err != nil {
		return fmt.Errorf("%w: %w", ErrNobody, err)
	}
	f, err := read(in)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: no greeting within %v", ErrRefused, helloTimeout)
	case err != nil: // it ended
		return fmt.Errorf("%w: %w", ErrNobody, err)
	case f.kind != welcome:
		return fmt.Errorf("%w: %.200q", ErrRefused, f.payload)
	default:
		return nil
	}
}

// sameUser returns an error if the process at the other end is of another user.
func sameUser(c *net.UnixConn) error {
	uid, err := peerUser(c)
	if err != nil {
		return err
	}
	if own := os.Geteuid(); uid != own {
		return fmt.Errorf("%w: the process at the other end is of user %d, this one of %d", hippo.ErrForbidden, uid, own)
	}
	return nil
}

// receive passes results on until the connection ends.
func (c *Conn) receive(in io.Reader) {
	defer close(c.broken)
	for {
		f, err := read(in)
		if err != nil {
			_ = c.c.Close()
			return
		}
		c.mu.Lock()
		to := c.pending[f.number]
		delete(c.pending, f.number)
		c.mu.Unlock()
		if to != nil {
			to <- f
		}
	}
}

// Broken returns a channel that is closed when the connection has ended.
func (c *Conn) Broken() <-chan struct{} { return c.broken }

// Call sends a call and waits for its reply, which is an error if failed says so. When ctx ends, it cancels the call
// and returns. [ErrBroken] says that nobody knows whether the call was carried out.
func (c *Conn) Call(ctx context.Context, payload []byte) (reply []byte, bad bool, err error) {
	if len(payload) > maxPayload {
		return nil, false, ErrTooLarge
	}
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	case <-c.broken:
		return nil, false, c.ended()
	}
	to := make(chan frame, 1)
	c.mu.Lock()
	c.number++
	number := c.number
	c.pending[number] = to
	c.mu.Unlock()
	if err := c.out.write(frame{number, call, payload}); err != nil {
		c.forget(number)
		return nil, false, fmt.Errorf("%w: %w", c.ended(), err)
	}
	if reply, bad, err := c.await(ctx, number, to); !errors.Is(err, ErrBroken) {
		return reply, bad, err
	}
	return nil, false, c.ended()
}

// await waits for the reply to a call that was sent.
func (c *Conn) await(ctx context.Context, number uint64, to <-chan frame) (reply []byte, bad bool, err error) {
	done := make(chan struct{})
	defer close(done)
	before := c.heard.count.Load()
	quiet := time.AfterFunc(pingAfter, func() { c.listenFor(before, done) })
	defer quiet.Stop()
	select {
	case f := <-to:
		return f.reply()
	case <-ctx.Done():
		c.forget(number)
		_ = c.out.write(frame{number: number, kind: cancel})
		return nil, false, context.Cause(ctx)
	case <-c.broken:
	}
	select {
	case f := <-to: // it came last
		return f.reply()
	default:
		return nil, false, ErrBroken
	}
}

// forget drops the reply of a call.
func (c *Conn) forget(number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, number)
}

// reply returns what [Conn.Call] does.
func (f frame) reply() (payload []byte, bad bool, err error) {
	if f.kind == tooLarge {
		return nil, false, ErrTooLarge
	}
	return f.payload, f.kind == failed, nil
}

// Close ends the connection; calls under way return [ErrBroken].
func (c *Conn) Close() error {
	err := c.c.Close()
	<-c.broken
	return err
}
