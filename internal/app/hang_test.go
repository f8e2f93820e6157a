package app_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// endpointBound is how long an endpoint that hangs may hold up a command.
const endpointBound = 300 * time.Millisecond

type dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// hanging are endpoints that never finish an answer, by what a connection to them does.
// Their goroutines, of which wg keeps track, end when the client hangs up.
func hanging() map[string]func(wg *sync.WaitGroup) dialer {
	return map[string]func(*sync.WaitGroup) dialer{
		"accepts_and_never_answers": func(wg *sync.WaitGroup) dialer {
			return func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				wg.Go(func() { _, _ = io.Copy(io.Discard, there) })
				return here, nil
			}
		},
		"drips": func(wg *sync.WaitGroup) dialer {
			return func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				wg.Go(func() { drip(wg, there) })
				return here, nil
			}
		},
		"never_accepts": func(*sync.WaitGroup) dialer {
			return func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		},
	}
}

// drip sends a byte of an answer now and then, until the client hangs up. It begins after the head of
// the request: a client ends a connection on which an answer comes before it asked.
func drip(wg *sync.WaitGroup, conn net.Conn) {
	_, err := http.ReadRequest(bufio.NewReader(conn))
	if err == nil {
		wg.Go(func() { _, _ = io.Copy(io.Discard, conn) }) // the rest of the request
		_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{")
	}
	for err == nil {
		time.Sleep(50 * time.Millisecond) // of the bubble
		_, err = io.WriteString(conn, " ")
	}
}

// An endpoint that hangs, whose dimension is not known yet, holds up nothing: the
// built-in model serves, and answers and status say so. Time is that of the bubble.
func TestOpen_HangingEndpoint(t *testing.T) {
	t.Parallel()
	for name, dial := range hanging() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := config.ParseModel("http://127.0.0.1:1/v1#m", func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			c := config.Config{Store: config.Store{Kind: "sqlite", Path: filepath.Join(t.TempDir(), "memory.db")}, Model: m}
			synctest.Test(t, func(t *testing.T) {
				var wg sync.WaitGroup
				transport := &http.Transport{DialContext: dial(&wg)}
				defer wg.Wait()
				defer transport.CloseIdleConnections()
				useAll(t, c, &app.Options{Client: &http.Client{Transport: transport}})
			})
		})
	}
}

// useAll uses a store in every way and checks how long each takes.
func useAll(t *testing.T, c config.Config, o *app.Options) {
	t.Helper()
	within := func(what string, f func() error) {
		t.Helper()
		start := time.Now()
		if err := f(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if taken := time.Since(start); taken > endpointBound {
			t.Errorf("%s took %v, want %v at most", what, taken, endpointBound)
		}
	}
	var e *engine.Engine
	within("Open", func() (err error) { e, err = app.Open(t.Context(), c, o); return err })
	if e == nil {
		return
	}
	var said []string
	within("Ready", func() error { return e.Ready(t.Context()) })
	within("Record", func() error {
		_, err := memory.Record(t.Context(), local(e), &hippo.Memory{Content: "We had pizza on Friday"})
		return err
	})
	within("Search", func() error {
		a, err := query.Search(t.Context(), local(e), hippo.Query{Text: "food for lunch"})
		if err != nil {
			return err
		}
		if len(a.Hits) != 1 {
			t.Errorf("%d hits, want that of the built-in model", len(a.Hits))
		}
		said = a.Degraded
		return nil
	})
	within("Status", func() error {
		st, err := memory.Status(t.Context(), local(e))
		said = append(said, st.Degraded...)
		return err
	})
	within("Close", e.Close)
	want := "semantic search: model openai:127.0.0.1:1/m has embedded 0 of 1 memories: model is loading: its endpoint has not answered yet"
	if !slices.Equal(said, []string{want, want}) {
		t.Errorf("degraded: %q, want %q in the answer and the status", said, want)
	}
}
