package share_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/hippo-memory/hippo/internal/rpc/share"
)

// A call to a process that greets and then does not run ends with [share.ErrSilent], which is an [share.ErrBroken].
func TestCall_Silent(t *testing.T) {
	t.Parallel()
	a, _ := address(t)
	l, err := net.Listen("unix", a.Socket)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Write([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02")) // welcome
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}()
	c := dial(t, a)
	if _, _, err := c.Call(t.Context(), []byte("x")); !errors.Is(err, share.ErrSilent) || !errors.Is(err, share.ErrBroken) || !c.Silent() {
		t.Errorf("error %v, silent %v", err, c.Silent())
	}
	if _, _, err := c.Call(t.Context(), []byte("x")); !errors.Is(err, share.ErrSilent) {
		t.Errorf("the next call: %v", err)
	}
	_ = l.Close()
	<-ended
}

// Gone reports that a caller has closed the connection, at once, and although what it sent before is still to be read.
func TestGone(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	begun, closed, seen := make(chan bool), make(chan struct{}), make(chan bool)
	listen(t, a, store, func(ctx context.Context, _ []byte) ([]byte, bool) {
		begun <- share.Gone(ctx)()
		<-closed
		seen <- share.Gone(ctx)()
		return nil, false
	})
	c := dial(t, a)
	go func() { _, _, _ = c.Call(context.WithoutCancel(t.Context()), nil) }()
	if <-begun {
		t.Error("gone before it went")
	}
	_ = c.Close()
	close(closed)
	if !<-seen {
		t.Error("not gone after it went")
	}
	if share.Gone(t.Context())() {
		t.Error("gone without a connection")
	}
}
