package embed_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

func wantError(t testing.TB, e embed.Embedder, want error) {
	t.Helper()
	if _, err := e.Embed(t.Context(), embed.Query, []string{"a"}); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

func TestLazy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := &fake{}
		gate := make(chan struct{})
		l := embed.NewLazy(fakeModel(), func(context.Context) (embed.Embedder, error) {
			<-gate
			return inner, nil
		})
		if l.Model() != fakeModel() {
			t.Errorf("model %+v", l.Model())
		}
		wantError(t, l, embed.ErrNotReady)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := l.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want Canceled", err)
		}
		close(gate)
		wg.Wait()
		mustEmbed(t, l, embed.Query, "a")
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if !inner.closed {
			t.Error("the embedder is open")
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		wantError(t, l, hippo.ErrUnavailable)
		if err := l.Wait(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
	})
}

func TestLazy_failure_is_tried_again_later(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		loads := 0
		broken := errors.New("no such file")
		l := embed.NewLazy(fakeModel(), func(context.Context) (embed.Embedder, error) {
			if loads++; loads == 1 {
				return nil, broken
			}
			return &fake{}, nil
		})
		if err := l.Wait(t.Context()); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
		wantError(t, l, broken)
		time.Sleep(31 * time.Second) // of the bubble
		synctest.Wait()
		wantError(t, l, embed.ErrNotReady)
		if err := l.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		mustEmbed(t, l, embed.Query, "a")
		if loads != 2 {
			t.Errorf("loaded %d times, want 2", loads)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestLazy_refuses_another_model(t *testing.T) {
	t.Parallel()
	inner := &fake{}
	declared := fakeModel()
	declared.Dimension = 384
	l := embed.NewLazy(declared, func(context.Context) (embed.Embedder, error) { return inner, nil })
	err := l.Wait(t.Context())
	if !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), "8 dimensions") || !strings.Contains(err.Error(), "384 dimensions") {
		t.Errorf("got %v, want an ErrConflict with both dimensions", err)
	}
	if !inner.closed {
		t.Error("the other model is open")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestLazy_Close(t *testing.T) {
	t.Parallel()
	t.Run("before_use", func(t *testing.T) {
		t.Parallel()
		l := embed.NewLazy(fakeModel(), nil)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("ends_loading", func(t *testing.T) {
		t.Parallel()
		l := embed.NewLazy(fakeModel(), func(ctx context.Context) (embed.Embedder, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		wantError(t, l, embed.ErrNotReady)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("closes_what_is_loaded_too_late", func(t *testing.T) {
		t.Parallel()
		inner := &fake{}
		l := embed.NewLazy(fakeModel(), func(ctx context.Context) (embed.Embedder, error) {
			<-ctx.Done()
			return inner, nil
		})
		wantError(t, l, embed.ErrNotReady)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if !inner.closed {
			t.Error("the embedder is open")
		}
	})
	t.Run("waits_for_calls", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			inner := &fake{gate: make(chan struct{})}
			l := embed.NewLazy(fakeModel(), func(context.Context) (embed.Embedder, error) { return inner, nil })
			if err := l.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			wg.Go(func() { mustEmbed(t, l, embed.Query, "a") })
			synctest.Wait()
			wg.Go(func() {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			wantError(t, l, hippo.ErrUnavailable)
			if inner.closed {
				t.Error("closed while in use")
			}
			close(inner.gate)
			wg.Wait()
			if !inner.closed {
				t.Error("the embedder is open")
			}
		})
	})
}
