package app_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// shared returns the configuration of a new store that processes share, with a runtime directory of its own.
func shared(t *testing.T) config.Config {
	t.Helper()
	dir, err := os.MkdirTemp("", "share") // a socket path has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return config.Config{
		Store: config.Store{Kind: "sqlite", Path: filepath.Join(dir, "memory.db")}, Share: true,
		Model: config.Model{Name: config.Static}, Ranker: hippo.RankerHippo,
	}
}

func join(t *testing.T, c config.Config, o app.SharingOptions) (*app.Sharing, *engine.Engine) {
	t.Helper()
	s := app.NewSharing(c, nil, o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	e, err := s.Engine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, e
}

func record(t *testing.T, e *engine.Engine, content string) {
	t.Helper()
	m := &hippo.Memory{Content: content, Importance: hippo.Importance{Base: 0.5}}
	if _, err := memory.Record(t.Context(), e.In(hippo.LocalScope("")), m); err != nil {
		t.Error(err)
	}
}

func count(t *testing.T, e *engine.Engine) int {
	t.Helper()
	l, err := memory.List(t.Context(), e.In(hippo.LocalScope("")), api.List{})
	if err != nil {
		t.Fatal(err)
	}
	return l.Total
}

func TestSharing_TakesOver(t *testing.T) {
	c := shared(t)
	first, e1 := join(t, c, app.SharingOptions{Listens: true})
	_, e2 := join(t, c, app.SharingOptions{Listens: true})
	_, e3 := join(t, c, app.SharingOptions{Listens: true})
	if e1.IsRemote() || !e2.IsRemote() || !e3.IsRemote() {
		t.Fatalf("remote: %v, %v, %v; want all but the first", e1.IsRemote(), e2.IsRemote(), e3.IsRemote())
	}
	record(t, e2, "one")
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() { record(t, e2, "at the moment of the takeover") })
		calls.Go(func() { record(t, e3, "at the moment of the takeover") })
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	calls.Wait()
	if a, b := count(t, e2), count(t, e3); a != 17 || b != 17 {
		t.Errorf("%d and %d memories, want 17", a, b)
	}
}

func TestSharing_OpensAlone(t *testing.T) {
	c := shared(t)
	_, e1 := join(t, c, app.SharingOptions{Listens: true})
	other := c
	other.Model = config.Model{Name: config.NoModel}
	off := c
	off.Share = false
	for name, c := range map[string]config.Config{"another model": other, "not shared": off} {
		if _, e := join(t, c, app.SharingOptions{}); e.IsRemote() {
			t.Errorf("%s: uses the engine of another process", name)
		}
	}
	record(t, e1, "one")
	visitor, e := join(t, c, app.SharingOptions{})
	if !e.IsRemote() || count(t, e) != 1 {
		t.Errorf("remote %v; want the engine of the first process", e.IsRemote())
	}
	if err := visitor.Close(); err != nil {
		t.Error(err)
	}
	if _, err := visitor.Engine(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("after Close: %v", err)
	}
}

// A process that listens and does not speak the protocol, as one of another version may, keeps nobody from the store.
func TestSharing_AnotherProtocol(t *testing.T) {
	for name, reply := range map[string]string{
		"says nothing": "", "something else": "HTTP/1.1 400 Bad Request\r\n\r\n",
		"refuses": "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x03no", "another kind of frame": "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			c := shared(t)
			_, e := join(t, c, app.SharingOptions{Listens: true})
			impersonate(t, reply)
			record(t, e, "one")
			o := app.SharingOptions{Greeting: time.Minute}
			if reply == "" {
				o.Greeting = time.Millisecond
			}
			_, visitor := join(t, c, o)
			if visitor.IsRemote() || count(t, visitor) != 1 {
				t.Errorf("remote %v; want the store opened here", visitor.IsRemote())
			}
		})
	}
}

// impersonate listens in place of the process that shares the store, and sends each client a reply.
func impersonate(t *testing.T, reply string) {
	t.Helper()
	sockets, err := filepath.Glob(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "hippo", "*.sock"))
	if err != nil || len(sockets) != 1 {
		t.Fatal(sockets, err)
	}
	if err := os.Remove(sockets[0]); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", sockets[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte(reply))
			_, _ = io.Copy(io.Discard, c) // until the client closes it
			_ = c.Close()
		}
	}()
}

// A call that is cancelled returns, and the connection stays.
func TestSharing_Cancelled(t *testing.T) {
	c := shared(t)
	join(t, c, app.SharingOptions{Listens: true})
	_, e := join(t, c, app.SharingOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := query.Search(ctx, e.In(hippo.LocalScope("")), hippo.Query{Text: "x"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	record(t, e, "one")
}
