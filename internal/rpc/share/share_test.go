package share_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/hippo-memory/hippo/internal/rpc/share"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// address returns an address in a short folder of its own: a socket path has a limit.
func address(t *testing.T) (a share.Address, store string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "share")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	store = filepath.Join(dir, "store")
	if err := os.WriteFile(store, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err = share.AddressOf("key", store, func(string) string { return dir })
	if err != nil {
		t.Fatal(err)
	}
	return a, store
}

// listen serves calls at an address until the test ends.
func listen(t *testing.T, a share.Address, store string, h share.Handler) *share.Listener {
	t.Helper()
	l, err := share.Listen(a, store)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() { l.Serve(h) })
	t.Cleanup(func() {
		_ = l.Close(context.WithoutCancel(t.Context()))
		serving.Wait()
	})
	return l
}

func dial(t *testing.T, a share.Address) *share.Conn {
	t.Helper()
	c, err := share.Dial(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func echo(_ context.Context, call []byte) ([]byte, bool) {
	return call, bytes.HasPrefix(call, []byte("bad"))
}

func TestCall_ManyAtATime(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	listen(t, a, store, echo)
	c := dial(t, a)
	var calls sync.WaitGroup
	for i := range 200 {
		calls.Go(func() {
			text := strings.Repeat("x", i*1000)
			if i%2 == 1 {
				text = "bad" + text
			}
			got, bad, err := c.Call(t.Context(), []byte(text))
			if err != nil || string(got) != text || bad != (i%2 == 1) {
				t.Errorf("call %d: %d bytes, %v, %v", i, len(got), bad, err)
			}
		})
	}
	calls.Wait()
}

func TestCall_Cancelled(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	listen(t, a, store, func(ctx context.Context, _ []byte) ([]byte, bool) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, true
	})
	c := dial(t, a)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, _, err := c.Call(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-ended // there, too
}

func TestListen_OneAtATime(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	if _, err := share.Dial(t.Context(), a); !errors.Is(err, share.ErrNobody) {
		t.Errorf("before anybody listens: %v", err)
	}
	l := listen(t, a, store, echo)
	if _, err := share.Listen(a, store); !errors.Is(err, share.ErrElected) {
		t.Errorf("a second listener: %v", err)
	}
	c := dial(t, a)
	if err := l.Close(t.Context()); err != nil {
		t.Error(err)
	}
	<-c.Broken()
	if _, _, err := c.Call(t.Context(), nil); !errors.Is(err, share.ErrBroken) {
		t.Errorf("after the end: %v", err)
	}
	listen(t, a, store, echo)
	if _, _, err := dial(t, a).Call(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// Closing waits for the calls that have begun, and answers them.
func TestClose_AnswersWhatBegan(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	begun, finish := make(chan struct{}), make(chan struct{})
	l := listen(t, a, store, func(context.Context, []byte) ([]byte, bool) {
		close(begun)
		<-finish
		return []byte("done"), false
	})
	c := dial(t, a)
	closed := make(chan error, 1)
	go func() {
		<-begun
		go func() { closed <- l.Close(context.Background()) }()
		for { // another process can take over already
			next, err := share.Listen(a, store)
			if err == nil {
				_ = next.Close(context.Background())
				break
			}
		}
		close(finish)
	}()
	if reply, _, err := c.Call(t.Context(), nil); err != nil || string(reply) != "done" {
		t.Errorf("%q, %v", reply, err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A process that was killed leaves its socket and no lock.
func TestListen_RemovesAStaleSocket(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: a.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := share.Dial(t.Context(), a); !errors.Is(err, share.ErrNobody) {
		t.Errorf("nobody is behind the socket: %v", err)
	}
	listen(t, a, store, echo)
	info, err := os.Stat(a.Socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want mode 0600", info, err)
	}
	dial(t, a)
}

// The same path can be another store: in a container, or since it was replaced.
func TestDial_AnotherStore(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	listen(t, a, store, echo)
	a.Identity = "1:2"
	if _, err := share.Dial(t.Context(), a); !errors.Is(err, share.ErrRefused) || !strings.Contains(err.Error(), "another store") {
		t.Error(err)
	}
	a.Identity = "" // it did not exist yet
	dial(t, a)
}

// What is no client is turned away, and does not disturb others.
func TestServe_Garbage(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	listen(t, a, store, echo)
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", strings.Repeat("\xff", 64), "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04"} {
		c, err := net.Dial("unix", a.Socket)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte(text))
		_, _ = c.Read(make([]byte, 1000)) // the refusal
		if n, err := c.Read(make([]byte, 1000)); err == nil && n > 900 {
			t.Errorf("%q: %d bytes", text, n)
		}
		_ = c.Close()
	}
	dial(t, a)
}

func TestAddressOf_Folders(t *testing.T) {
	t.Parallel()
	a, _ := address(t)
	dir := filepath.Dir(filepath.Dir(a.Socket))
	runtime := func(dir string) func(string) string { return func(string) string { return dir } }
	open := filepath.Join(dir, "open")
	if err := os.MkdirAll(filepath.Join(open, "hippo"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string]func(string) string{
		"unset":           runtime(""),
		"missing":         runtime(filepath.Join(dir, "missing")),
		"too long":        runtime(filepath.Join(dir, strings.Repeat("x", 100))),
		"readable by all": runtime(open),
		"relative":        runtime("run"),
		"a file":          runtime(a.Lock),
	} {
		got, err := share.AddressOf("key", "", env)
		if err != nil || strings.HasPrefix(got.Socket, dir) {
			t.Errorf("%s: %v, %v; want a folder for temporary files", name, got, err)
		}
	}
	b, err := share.AddressOf("another key", "", runtime(dir))
	if err != nil || b.Socket == a.Socket || filepath.Dir(b.Socket) != filepath.Dir(a.Socket) {
		t.Errorf("two keys at %s and %s, %v", a.Socket, b.Socket, err)
	}
}

// A reply that is too large is an error, and the connection stays.
func TestCall_LargeReply(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	listen(t, a, store, func(_ context.Context, call []byte) ([]byte, bool) {
		if string(call) == "large" {
			return make([]byte, share.MaxPayload+1), false
		}
		return call, false
	})
	c := dial(t, a)
	if _, _, err := c.Call(t.Context(), []byte("large")); !errors.Is(err, share.ErrTooLarge) || errors.Is(err, share.ErrBroken) {
		t.Errorf("a reply that is too large: %v", err)
	}
	if _, _, err := c.Call(t.Context(), make([]byte, share.MaxPayload+1)); !errors.Is(err, share.ErrTooLarge) {
		t.Errorf("a call that is too large: %v", err)
	}
	if reply, _, err := c.Call(t.Context(), []byte("small")); err != nil || string(reply) != "small" {
		t.Errorf("%q, %v", reply, err)
	}
}

// What nobody reads within a minute breaks the connection.
func TestSend_NobodyReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		if err := share.Send(here, []byte("call")); err == nil {
			t.Error("sent to nobody")
		}
		if _, err := there.Read(make([]byte, 1)); err == nil {
			t.Error("the connection is still open")
		}
	})
}

// A client that goes away in the middle of a call or of a frame cancels its calls and disturbs nobody.
func TestServe_ClientGoesAway(t *testing.T) {
	t.Parallel()
	a, store := address(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	listen(t, a, store, func(ctx context.Context, call []byte) ([]byte, bool) {
		if string(call) == "wait" {
			close(begun)
			<-ctx.Done()
			close(ended)
		}
		return call, false
	})
	c := dial(t, a)
	broken := make(chan error, 1)
	go func() {
		_, _, err := c.Call(context.WithoutCancel(t.Context()), []byte("wait"))
		broken <- err
	}()
	<-begun
	_ = c.Close()
	<-ended
	if err := <-broken; !errors.Is(err, share.ErrBroken) {
		t.Errorf("the call of the client: %v", err)
	}
	half, err := net.Dial("unix", a.Socket)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = half.Write([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" + "\x00\x10")) // hello, and the beginning of another frame
	_ = half.Close()
	if reply, _, err := dial(t, a).Call(t.Context(), []byte("another")); err != nil || string(reply) != "another" {
		t.Errorf("%q, %v", reply, err)
	}
}

func BenchmarkCall(b *testing.B) {
	dir := b.TempDir()
	a, err := share.AddressOf("key", "", func(string) string { return dir })
	if err != nil {
		b.Fatal(err)
	}
	l, err := share.Listen(a, "")
	if err != nil {
		b.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() { l.Serve(echo) })
	c, err := share.Dial(b.Context(), a)
	if err != nil {
		b.Fatal(err)
	}
	payload := make([]byte, 4<<10)
	for b.Loop() {
		if _, _, err := c.Call(b.Context(), payload); err != nil {
			b.Fatal(err)
		}
	}
	_ = c.Close()
	_ = l.Close(b.Context())
	serving.Wait()
}
