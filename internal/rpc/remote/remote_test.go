package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/rpc/remote"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// token is the one that servers of tests know.
const token = "hippo_0123456789abcdef"

type oneToken struct{}

func (oneToken) Authenticate(text string) (httpd.Caller, bool) {
	return httpd.Caller{Name: "test", Scope: hippo.LocalScope("")}, text == token
}

// handler is a server of an engine.
func handler(e *engine.Engine) http.Handler {
	open := func(context.Context) (*engine.Engine, error) { return e, nil }
	return httpd.New(remote.Routes(open, &remote.Options{Version: "1.2.3"}), httpd.Options{Tokens: oneToken{}})
}

// client returns the memory behind a handler.
func client(t *testing.T, h http.Handler, text string) *engine.Memories {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return at(s.URL, text)
}

func at(url, text string) *engine.Memories {
	c := remote.NewClient(remote.ClientOptions{Address: url, Token: secret.New(text), Version: "4.5.6"})
	return engine.NewRemote(c, &engine.Config{Now: time.Now}, time.UTC).In(hippo.LocalScope(""))
}

func note(text string) *hippo.Memory {
	return &hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}}
}

// What answers in place of a server is an error that says so, at once, and never shows the token.
func TestClient_Refuses(t *testing.T) {
	t.Parallel()
	e := enginetest.Open(t, enginetest.Options{})
	page := func(status int, header ...string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<html>"+r.Header.Get("Authorization"))
		})
	}
	for _, tc := range []struct {
		name  string
		h     http.Handler
		token string
		want  error
		text  string
	}{
		{"a page", page(http.StatusOK), token, hippo.ErrUnavailable, "not from hippo"},
		{"a page of an error", page(http.StatusForbidden), token, hippo.ErrUnavailable, `"403 Forbidden" with "text/html"`},
		{"a page that looks like one of ours", page(http.StatusOK, "Hippo-Outcome", "result"), token, hippo.ErrUnsupported, "protocol"},
		{"another address", page(http.StatusFound, "Location", "https://other.example/login?next=secret"), token, hippo.ErrUnavailable, `it leads to "https://other.example/login?[redacted]"`},
		{"another version", page(http.StatusOK, "Hippo-Outcome", "result", "Hippo-Protocol", "abc", "Hippo-Version", "9.9.9"), token, hippo.ErrUnsupported, `the server has protocol "abc" (hippo "9.9.9"), this program has protocol "` + remote.Protocol() + `" (hippo "4.5.6")`},
		{"no token", handler(e), "", hippo.ErrForbidden, "a token is needed"},
		{"a wrong token", handler(e), "hippo_wrong", hippo.ErrForbidden, "unknown, expired or revoked"},
		{"a server without the route", httpd.New(nil, httpd.Options{Tokens: oneToken{}}), token, hippo.ErrUnsupported, "older than this program"},
	} {
		_, err := memory.Record(t.Context(), client(t, tc.h, tc.token), note("x"))
		if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) || tc.token != "" && strings.Contains(err.Error(), tc.token) {
			t.Errorf("%s: %v, want %v with %q", tc.name, err, tc.want, tc.text)
		}
	}
	_, err := memory.List(t.Context(), at("http://127.0.0.1:1", token), api.List{})
	if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "http://127.0.0.1:1: dial tcp") {
		t.Errorf("nobody listens: %v", err)
	}
}

// A caller of another version gets an error that names both, and its call is not carried out.
func TestRoute_OtherProtocol(t *testing.T) {
	t.Parallel()
	e := enginetest.Open(t, enginetest.Options{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+remote.Path, strings.NewReader(`{"Verb":"record"}`))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/vnd.hippo.call+json")
	r.Header.Set("Hippo-Protocol", "old")
	r.Header.Set("Hippo-Version", "0.0.1")
	w := httptest.NewRecorder()
	handler(e).ServeHTTP(w, r)
	if text := w.Body.String(); w.Code != http.StatusNotImplemented || !strings.Contains(text, `protocol \"old\" (hippo \"0.0.1\")`) || !strings.Contains(text, remote.Protocol()) {
		t.Errorf("%d %s", w.Code, text)
	}
}

// broken passes requests on and breaks the connection: before one is carried out, or after it, when its answer is lost.
type broken struct {
	http.Handler
	after          bool
	times, retried atomic.Int32
}

func (b *broken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	var c engine.Call
	if json.Unmarshal(body, &c) == nil && c.Retried {
		b.retried.Add(1)
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	cut := b.times.Add(-1) >= 0
	if !cut {
		b.Handler.ServeHTTP(w, r)
		return
	}
	if b.after {
		b.Handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	panic(http.ErrAbortHandler)
}

// A call whose answer is lost is repeated, and not carried out twice.
func TestClient_Repeats(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		e := enginetest.Open(t, enginetest.Options{})
		b := &broken{Handler: handler(e), after: after}
		r := client(t, b, token)
		b.times.Store(1)
		m, err := memory.Record(t.Context(), r, note("the gateway is down"))
		if err != nil || b.retried.Load() != 1 {
			t.Fatalf("after %v: %v, %d repeated", after, err, b.retried.Load())
		}
		b.times.Store(1)
		votes, err := memory.Reinforce(t.Context(), r, nil, []hippo.ID{m.ID})
		if err != nil || len(votes) != 1 {
			t.Fatalf("after %v: %v, %v", after, votes, err)
		}
		list, err := memory.List(t.Context(), e.In(hippo.LocalScope("")), api.List{})
		if err != nil || list.Total != 1 || list.Memories[0].Importance.Value != .25 {
			t.Errorf("after %v: %+v, %v; want one memory with one vote", after, list, err)
		}
	}
}

// A proxy that lost its server, and a server that is busy, are asked again.
func TestClient_AsksAgain(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadGateway, http.StatusTooManyRequests} {
		h, busy := handler(enginetest.Open(t, enginetest.Options{})), atomic.Bool{}
		busy.Store(true)
		r := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if busy.Swap(false) {
				if status == http.StatusTooManyRequests {
					w.Header().Set("Content-Type", "application/problem+json")
				}
				w.WriteHeader(status)
				_, _ = io.WriteString(w, `{"code":"unavailable","detail":"too many"}`)
				return
			}
			h.ServeHTTP(w, r)
		}), token)
		if _, err := memory.Record(t.Context(), r, note("x")); err != nil || busy.Load() {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A server that does not come back: the error of a change says that it may be stored, that of a search does not.
func TestClient_Unknown(t *testing.T) {
	t.Parallel()
	b := &broken{Handler: handler(enginetest.Open(t, enginetest.Options{})), after: true}
	b.times.Store(100)
	r := client(t, b, token)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("too late"))
	defer cancel()
	if _, err := memory.Record(ctx, r, note("x")); err == nil || err.Error() != "too late" {
		t.Errorf("with a deadline: %v", err)
	}
	s := httptest.NewServer(b)
	defer s.Close()
	c := remote.NewClient(remote.ClientOptions{Address: s.URL, Token: secret.New(token), Pauses: []time.Duration{0, 0}})
	r = engine.NewRemote(c, &engine.Config{}, time.UTC).In(hippo.LocalScope(""))
	_, err := memory.Record(t.Context(), r, note("x"))
	if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "whether the change is stored is not known") {
		t.Errorf("a record: %v", err)
	}
	_, err = memory.List(t.Context(), r, api.List{})
	if !errors.Is(err, hippo.ErrUnavailable) || strings.Contains(err.Error(), "not known") {
		t.Errorf("a list: %v", err)
	}
}

// An import that lost its server reports what is stored, and goes on when it is run again.
func TestClient_ImportGoesOn(t *testing.T) {
	t.Parallel()
	e := enginetest.Open(t, enginetest.Options{})
	b := &broken{Handler: handler(e), after: true}
	s := httptest.NewServer(b)
	defer s.Close()
	c := remote.NewClient(remote.ClientOptions{Address: s.URL, Token: secret.New(token), Pauses: []time.Duration{0}})
	r := engine.NewRemote(c, &engine.Config{}, time.UTC).In(hippo.LocalScope(""))
	const n = 1200
	list := make([]*hippo.Memory, n)
	for i := range list {
		list[i] = note(fmt.Sprint("memory ", i))
		list[i].ID = hippo.ID{1, byte(i >> 8), byte(i)}
	}
	entries := func(yield func(*hippo.Memory, error) bool) {
		for _, m := range list {
			if !yield(m.Clone(), nil) {
				return
			}
		}
	}
	lost := func(int) { b.times.Store(100) }
	report, err := transfer.New(r).Import(t.Context(), hippo.Calendar{}, entries, lost)
	if !errors.Is(err, hippo.ErrUnavailable) || report.Added != 500 {
		t.Errorf("%+v, %v", report, err)
	}
	b.times.Store(0)
	report, err = transfer.New(r).Import(t.Context(), hippo.Calendar{}, entries, nil)
	if err != nil || report.Added != 200 || report.Present != 1000 { // the second batch arrived, too
		t.Errorf("%+v, %v", report, err)
	}
	st, err := memory.Status(t.Context(), e.In(hippo.LocalScope("")))
	if err != nil || st.Memories != n {
		t.Errorf("%d memories, %v; want %d", st.Memories, err, n)
	}
}

// A slow server does not keep a caller beyond its deadline.
func TestClient_Deadline(t *testing.T) {
	t.Parallel()
	asked, done := make(chan struct{}), make(chan struct{})
	r := client(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done() // the client went away
		close(done)
	}), token)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-asked
		cancel(errors.New("the deadline of a hook"))
	}()
	if _, err := query.Search(ctx, r, hippo.Query{Text: "x"}); err == nil || err.Error() != "the deadline of a hook" {
		t.Errorf("%v", err)
	}
	<-done
}

// A body that is no call, too long, or of another type is an error.
func TestRoute_Malformed(t *testing.T) {
	t.Parallel()
	h := handler(enginetest.Open(t, enginetest.Options{}))
	for _, tc := range []struct {
		body, kind string
		want       int
	}{
		{"{", "application/vnd.hippo.call+json", http.StatusBadRequest},
		{`{"Verb":"nonsense"}`, "application/vnd.hippo.call+json; charset=utf-8", http.StatusNotImplemented},
		{`{"Verb":"list"}`, "application/json", http.StatusBadRequest},
		{`{"Verb":"record","Args":{"Memory":null}}`, "application/vnd.hippo.call+json", http.StatusInternalServerError},
		{fmt.Sprintf(`{"Verb":"get","Args":%q}`, strings.Repeat("x", 17<<20)), "application/vnd.hippo.call+json", http.StatusBadRequest},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+remote.Path, strings.NewReader(tc.body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", tc.kind)
		r.Header.Set("Hippo-Protocol", remote.Protocol())
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tc.want || w.Header().Get("Hippo-Outcome") != "failure" || strings.Contains(w.Body.String(), ".go:") {
			t.Errorf("%.60s: %d %.200s", tc.body, w.Code, w.Body)
		}
	}
}

// What cannot travel says so.
func TestClient_Away(t *testing.T) {
	t.Parallel()
	r := client(t, handler(enginetest.Open(t, enginetest.Options{})), token)
	if err := r.Embed(t.Context(), nil); !errors.Is(err, engine.ErrAway) || !errors.Is(err, hippo.ErrUnsupported) {
		t.Error(err)
	}
}
