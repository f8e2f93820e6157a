package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(helperPath); path != "" {
		if err := embedUntilKilled(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// timeout is how long a query waits for the endpoint of these tests.
const timeout = 250 * time.Millisecond

// endpoint is a model that takes its time for a query.
type endpoint struct {
	mu      sync.Mutex
	latency time.Duration
	err     error
	queries int // that were answered
	running int
	closed  bool
	late    bool // a query ran when it was closed
}

func (*endpoint) Model() embed.Model { return embed.Model{ID: "far@1", Space: "far", Dimension: 2} }

func (e *endpoint) Embed(ctx context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	e.mu.Lock()
	latency, err := e.latency, e.err
	e.running++
	e.mu.Unlock()
	select {
	case <-ctx.Done():
		err = ctx.Err()
		time.Sleep(time.Millisecond) // it cannot stop at once
	case <-time.After(latency): // of the bubble
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running--
	if err != nil {
		return nil, err
	}
	e.queries++
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1, 0}
	}
	return out, nil
}

func (e *endpoint) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed, e.late = true, e.running > 0
	return nil
}

func (e *endpoint) set(latency time.Duration, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.latency, e.err = latency, err
}

// open returns a follower with one model, on an empty store.
func open(t *testing.T, e embed.Embedder) *embedding.Follower {
	t.Helper()
	return openModel(t, embedding.Model{Embedder: e, Timeout: timeout})
}

func openModel(t *testing.T, m embedding.Model) *embedding.Follower {
	t.Helper()
	s := store.New(memstore.New(nil), nil)
	models := []embedding.Model{m}
	o := &index.Options{}
	o.Models, o.Instant = embedding.Indexed(models)
	x, err := index.Open(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	f := embedding.New(embedding.Config{Store: s, Index: x, Models: models})
	t.Cleanup(func() {
		if err := errors.Join(f.Close(), x.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return f
}

// wantQuery checks how long a query takes, and what is said of it; nothing: it is embedded.
func wantQuery(t *testing.T, f *embedding.Follower, text string, takes time.Duration, says string) {
	t.Helper()
	scope := hippo.LocalScope("")
	began := time.Now()
	v, err := f.Query(t.Context(), &scope, text, nil)
	if took := time.Since(began); err != nil || took != takes {
		t.Errorf("%s: took %v (%v), want %v", text, took, err, takes)
	}
	degraded := strings.Join(v.Degraded, "; ")
	if (v.Text[retrieve.Semantic].Values != nil) != (says == "") || (v.Text[retrieve.Semantic].Model == "far@1") != (says == "") || !strings.Contains(degraded, says) || says == "" && degraded != "" {
		t.Errorf("%s: vector %v of model %q, degraded %q, want %q", text, v.Text[retrieve.Semantic].Values, v.Text[retrieve.Semantic].Model, degraded, says)
	}
}

// A query waits for the timeout and no longer. The answer that comes later is cached, and
// meanwhile no other query waits.
func TestQuery_WaitsAtMostItsTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{latency: 2 * time.Second}
		f := open(t, embed.NewCache(e, 0))
		wantQuery(t, f, "first", timeout, "no answer within 250ms")
		wantQuery(t, f, "first", 0, "it has not answered yet")
		wantQuery(t, f, "second", 0, "it has not answered yet")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		wantQuery(t, f, "first", 0, "")
		if e.queries != 1 {
			t.Errorf("%d queries were answered, want 1", e.queries)
		}
	})
}

// The vector of a query loses what questions have in common, and has length 1.
func TestQuery_WithoutWhatQuestionsHaveInCommon(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ common, want []float32 }{
		{nil, []float32{1, 0}},
		{[]float32{1.2, 0.6}, []float32{0.8, -0.6}},
		{[]float32{2, 0}, []float32{1, 0}}, // nothing would be left
	} {
		f := openModel(t, embedding.Model{Embedder: &endpoint{}, Timeout: timeout, Common: tt.common})
		scope := hippo.LocalScope("")
		v, err := f.Query(t.Context(), &scope, "first", nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, v.Text[retrieve.Semantic].Values, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("without %v (-want +got):\n%s", tt.common, diff)
		}
	}
}

// A model that is known to answer is waited for, up to a second.
func TestQuery_WaitsForAModelThatAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{latency: 600 * time.Millisecond}
		f := open(t, e)
		wantQuery(t, f, "first", timeout, "no answer within 250ms")
		time.Sleep(time.Second)
		wantQuery(t, f, "second", 600*time.Millisecond, "")
		e.set(3*time.Second, nil)
		wantQuery(t, f, "third", time.Second, "no answer within 1s")
		time.Sleep(3 * time.Second)
		e.set(900*time.Millisecond, nil)
		wantQuery(t, f, "fourth", 900*time.Millisecond, "")
		e.set(0, hippo.ErrUnavailable) // an error proves nothing
		wantQuery(t, f, "fifth", 0, "unavailable")
		e.set(900*time.Millisecond, nil)
		wantQuery(t, f, "sixth", timeout, "no answer within 250ms")
	})
}

// A model that never answers costs each query at most the timeout, for all time.
func TestQuery_HangingModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := open(t, &endpoint{latency: 1000 * time.Hour})
		for range 3 {
			wantQuery(t, f, "first", timeout, "no answer within 250ms")
			wantQuery(t, f, "first", 0, "it has not answered yet")
			time.Sleep(embedding.DefaultTimeout)
			synctest.Wait()
		}
	})
}

// Close ends queries that are still asked, before it closes the model.
func TestClose_EndsQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{latency: time.Hour}
		f := open(t, e)
		wantQuery(t, f, "first", timeout, "no answer within 250ms")
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if !e.closed || e.late {
			t.Errorf("the model was closed: %v, while a query ran: %v", e.closed, e.late)
		}
		wantQuery(t, f, "second", 0, "unavailable")
	})
}

// stuck is an instant model that does not answer for memories until its channel is closed.
type stuck struct{ goOn chan struct{} }

func (stuck) Model() embed.Model { return embed.Model{ID: "near@1", Space: "near", Dimension: 2} }

func (s stuck) Embed(_ context.Context, role embed.Role, texts []string) ([][]float32, error) {
	if role == embed.Passage {
		<-s.goOn
	}
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1, 0}
	}
	return out, nil
}

// A query that is canceled does not wait for another one that embeds memories.
func TestQuery_CanceledWhileAnotherEmbeds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := store.New(memstore.New(nil), nil)
		if err := s.Add(t.Context(), &hippo.Memory{Content: "x"}); err != nil {
			t.Fatal(err)
		}
		e := stuck{make(chan struct{})}
		x, err := index.Open(t.Context(), s, &index.Options{Models: []embed.Model{e.Model()}})
		if err == nil {
			err = x.CatchUp(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		f := embedding.New(embedding.Config{Store: s, Index: x, Models: []embedding.Model{{Embedder: e, Instant: true}}})
		scope := hippo.LocalScope("")
		var first error
		go func() { _, first = f.Query(t.Context(), &scope, "first", nil) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		second := make(chan error, 1)
		go func() {
			_, err := f.Query(ctx, &scope, "second", nil)
			second <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		close(e.goOn)
		synctest.Wait()
		if err := errors.Join(first, f.Close(), x.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
}
