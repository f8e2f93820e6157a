package openai_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/openai"
)

// failing answers with f as often as told, and then as b.
func failing(b *backend, times int64, f http.HandlerFunc) http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) <= times {
			f(w, r)
			return
		}
		b.ServeHTTP(w, r)
	})
}

func TestClient_tries_again(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	abort := func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"data":[`) // the client tells what it got
	}
	for name, f := range map[string]http.HandlerFunc{
		"408": status(408), "409": status(409), "425": status(425), "429": status(429),
		"500": status(500), "502": status(502), "503": status(503), "504": status(504), "529": status(529),
		"connection_aborted": abort, "answer_breaks_off": half,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, failing(newBackend(t), 3, f))
			client, naps := open(t, configOf(s, backendDimension))
			if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); err != nil {
				t.Fatal(err)
			}
			if len(naps.taken) != 3 {
				t.Fatalf("%d pauses, want 3", len(naps.taken))
			}
			for i, d := range naps.taken {
				if base := 500 * time.Millisecond << i; d < base/2 || d > base*3/2 {
					t.Errorf("pause %d is %v, want %v or half of that more or less", i, d, base)
				}
			}
		})
	}
}

func TestClient_does_not_try_again(t *testing.T) {
	t.Parallel()
	for _, code := range []int{201, 204, 400, 401, 402, 403, 404, 405, 406, 410, 413, 415, 422, 451} {
		b := newBackend(t)
		s := serve(t, failing(b, 1, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		client, _ := open(t, configOf(s, backendDimension))
		if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); err == nil || b.count() != 0 {
			t.Errorf("%d: got %v after %d more requests", code, err, b.count())
		}
	}
}

func TestClient_retries(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{0: openai.DefaultRetries, 2: 2, -1: 0} {
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
		config := configOf(s, backendDimension)
		config.Retries = retries
		client, naps := open(t, config)
		if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
		if len(naps.taken) != want {
			t.Errorf("Retries %d: %d pauses, want %d", retries, len(naps.taken), want)
		}
	}
}

func TestClient_retry_after(t *testing.T) {
	t.Parallel()
	const date = "Sat, 21 Nov 2026 12:00:00 GMT"
	for _, c := range []struct {
		name, value, date string
		want              time.Duration // 0: its own
	}{
		{"seconds", "7", date, 7 * time.Second},
		{"date", "Sat, 21 Nov 2026 12:00:09 GMT", date, 9 * time.Second},
		{"many_seconds", "86400", date, time.Minute},
		{"far_date", "Sun, 22 Nov 2026 12:00:00 GMT", date, time.Minute},
		{"past_date", "Sat, 21 Nov 2026 11:00:00 GMT", date, 0},
		{"date_without_date", "Sat, 21 Nov 2026 12:00:09 GMT", "never", 0},
		{"zero", "0", date, 0},
		{"negative", "-3", date, 0},
		{"unit", "5m", date, 0},
		{"nonsense", "soon", date, 0},
		{"none", "", date, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, failing(newBackend(t), 1, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", c.value)
				w.Header().Set("Date", c.date)
				w.WriteHeader(http.StatusTooManyRequests)
			}))
			client, naps := open(t, configOf(s, backendDimension))
			if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); err != nil {
				t.Fatal(err)
			}
			if c.want > 0 && !slices.Equal(naps.taken, []time.Duration{c.want}) ||
				c.want == 0 && (len(naps.taken) != 1 || naps.taken[0] < 250*time.Millisecond || naps.taken[0] > 750*time.Millisecond) {
				t.Errorf("paused %v, want %v", naps.taken, c.want)
			}
		})
	}
}

func TestClient_no_server(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	client, naps := open(t, openai.Config{URL: "http://" + address + "/secret-path", Dimension: 4})
	_, err = client.Embed(t.Context(), embed.Query, []string{"a"})
	if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), address+": no answer: ") || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("got %v, want an ErrUnavailable with the address", err)
	}
	if len(naps.taken) != openai.DefaultRetries {
		t.Errorf("%d pauses, want %d", len(naps.taken), openai.DefaultRetries)
	}
}

func TestClient_unknown_authority(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	s := serveTLS(t, b)
	config := configOf(s, backendDimension)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	config.Client = &http.Client{Transport: transport}
	client, naps := open(t, config)
	if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v, want an ErrUnavailable about the certificate", err)
	}
	if len(naps.taken) != 0 || b.count() != 0 {
		t.Errorf("%d pauses, %d requests", len(naps.taken), b.count())
	}
}

// hanging is a handler that answers nothing until the client is gone.
func hanging(begun chan<- struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see the client go
		if begun != nil {
			begun <- struct{}{}
		}
		<-r.Context().Done()
	}
}

func TestClient_timeout(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(newBackend(t), 1, hanging(nil)))
	config := configOf(s, backendDimension)
	config.Timeout = 200 * time.Millisecond
	client, naps := open(t, config)
	if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); err != nil {
		t.Errorf("got %v, want a second attempt", err)
	}
	config.Retries = -1
	config.URL = serve(t, hanging(nil)).URL
	client, _ = open(t, config)
	_, err := client.Embed(t.Context(), embed.Query, []string{"a"})
	if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "took longer than 200ms") || len(naps.taken) != 1 {
		t.Errorf("got %v after %d pauses, want an ErrUnavailable with the time", err, len(naps.taken))
	}
}

func TestClient_context(t *testing.T) {
	t.Parallel()
	t.Run("over_before", func(t *testing.T) {
		t.Parallel()
		b := newBackend(t)
		client, _ := open(t, configOf(b.server, backendDimension))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := client.Embed(ctx, embed.Query, []string{"a"}); !errors.Is(err, context.Canceled) || b.count() != 0 {
			t.Errorf("got %v after %d requests, want Canceled", err, b.count())
		}
	})
	t.Run("ends_in_request", func(t *testing.T) {
		t.Parallel()
		begun := make(chan struct{}, 1)
		client, naps := open(t, configOf(serve(t, hanging(begun)), backendDimension))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		if _, err := client.Embed(ctx, embed.Query, []string{"a"}); !errors.Is(err, context.Canceled) || errors.Is(err, hippo.ErrUnavailable) || len(naps.taken) != 0 {
			t.Errorf("got %v after %d pauses, want Canceled", err, len(naps.taken))
		}
	})
	t.Run("ends_in_pause", func(t *testing.T) {
		t.Parallel()
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
		ctx, cancel := context.WithCancel(t.Context())
		config := configOf(s, backendDimension)
		config.Sleep = func(context.Context, time.Duration) error {
			cancel()
			return ctx.Err()
		}
		client, _ := open(t, config)
		_, err := client.Embed(ctx, embed.Query, []string{"a"})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "503 Service Unavailable") {
			t.Errorf("got %v, want Canceled and what was waited for", err)
		}
	})
	t.Run("ends_real_pause", func(t *testing.T) {
		t.Parallel()
		begun := make(chan struct{}, 1)
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
			begun <- struct{}{}
		}))
		client, err := openai.New(configOf(s, backendDimension))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		if _, err := client.Embed(ctx, embed.Query, []string{"a"}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want Canceled", err)
		}
	})
}
