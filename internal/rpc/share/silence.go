package share

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"
)

const (
	// pingAfter is how long a call waits before it asks whether the process that listens still runs, pongWithin how long that
	// may take to answer, and silenceStep how often it looks. A process that runs answers at once, however long the call takes;
	// one that was stopped does not. Together they leave most of a second of three to open the store.
	pingAfter, pongWithin, silenceStep = 400 * time.Millisecond, 1250 * time.Millisecond, 250 * time.Millisecond
	// chunkTimeout is how long a process that runs may take to read a chunk of a call, chunk how large one is.
	chunkTimeout, chunk = pingAfter + pongWithin, 64 << 10
)

// ErrSilent is an [ErrBroken]: who listens does not run, as after SIGSTOP. The connection is closed by then, so that the call
// is not carried out later, see [Gone].
var ErrSilent = fmt.Errorf("%w: the process that shares the store gives no sign of life", ErrBroken)

// goneKey is the key of what [Gone] calls.
type goneKey struct{}

// Gone returns what reports whether the caller of a [Handler], with its context, has closed the connection: nobody waits for
// the call any more, and the caller may have repeated it elsewhere. It asks the system, so that it is right even when this
// process was stopped meanwhile.
func Gone(ctx context.Context) func() bool {
	gone, ok := ctx.Value(goneKey{}).(func() bool)
	if !ok {
		return func() bool { return false }
	}
	return gone
}

// withGone returns a context for calls that come over c.
func withGone(ctx context.Context, c *net.UnixConn) context.Context {
	return context.WithValue(ctx, goneKey{}, func() bool { return hungUp(c) })
}

// heard counts the bytes of the process that listens: each is a sign of life.
type heard struct {
	in    io.Reader
	count atomic.Int64
}

// Read implements [io.Reader].
func (h *heard) Read(b []byte) (int, error) {
	n, err := h.in.Read(b)
	h.count.Add(int64(n))
	return n, err
}

// listenFor asks the process that listens for signs of life until done is closed, and closes the connection if there are
// none. The first that counts is what came after last bytes.
func (c *Conn) listenFor(last int64, done <-chan struct{}) {
	t := time.NewTimer(0)
	defer t.Stop()
	waited := time.Duration(0)
	for asked := false; ; {
		select {
		case <-done:
			return
		case <-c.broken:
			return
		case <-t.C:
		}
		switch now := c.heard.count.Load(); {
		case now != last:
			last, asked, waited = now, false, 0
			t.Reset(pingAfter)
			continue
		case asked && waited >= pongWithin:
			c.silence()
			return
		case asked:
			waited += silenceStep
		default:
			asked = true
			_ = c.out.write(frame{kind: ping}) // a failure ends the connection
		}
		t.Reset(silenceStep)
	}
}

// silence ends a connection to a process that does not run.
func (c *Conn) silence() {
	c.silent.Store(true)
	_ = c.c.Close()
}

// Silent reports whether the connection has ended by [ErrSilent].
func (c *Conn) Silent() bool { return c.silent.Load() }

// ended is the error of a call whose connection has ended.
func (c *Conn) ended() error {
	if c.Silent() {
		return ErrSilent
	}
	return ErrBroken
}
