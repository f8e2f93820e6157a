package app_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

// engineIn opens an engine in RAM.
func engineIn(ctx context.Context, t *testing.T) *engine.Engine {
	t.Helper()
	e, err := app.Open(ctx, config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.NoModel}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Whoever asks for the engine waits no longer than their context, also while another one
// closes the opener and the store hangs.
func TestOpener_Hangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := app.OpenerOf(func(context.Context) (*engine.Engine, error) {
			<-release
			return engineIn(context.Background(), t), nil
		})
		waiting, err := make(chan error, 2), error(nil)
		go func() { _, err := p.Engine(t.Context()); waiting <- err }()
		synctest.Wait()

		closing, giveUp := context.WithCancel(t.Context())
		closed := make(chan error, 1)
		go func() { closed <- p.Close(closing) }()
		synctest.Wait()

		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err = p.Engine(impatient); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("got %v while it closes, want unavailable", err)
		}
		giveUp()
		if err = <-closed; !errors.Is(err, context.Canceled) {
			t.Errorf("close: got %v, want that it gave up", err)
		}
		close(release)
		if err = <-waiting; !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("who waited got %v, want unavailable: the store opened after Close", err)
		}
		if err = p.Close(t.Context()); err != nil {
			t.Errorf("second close: %v", err)
		}
	})
}

// A caller that gives up does not end the attempt that others wait for.
func TestOpener_Impatient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := app.OpenerOf(func(ctx context.Context) (*engine.Engine, error) {
			select {
			case <-release:
				return engineIn(ctx, t), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		})
		impatient, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error, 1)
		go func() { _, err := p.Engine(impatient); gaveUp <- err }()
		synctest.Wait()
		cancel()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want canceled", err)
		}
		close(release)
		if e, err := p.Engine(t.Context()); err != nil || e == nil {
			t.Errorf("got %v (%v)", e, err)
		}
		for range 2 {
			if err := p.Close(t.Context()); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	})
}

// Close cancels an attempt that can be cancelled, and waits for it.
func TestOpener_CloseWhileOpening(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := app.OpenerOf(func(ctx context.Context) (*engine.Engine, error) { <-ctx.Done(); return nil, context.Cause(ctx) })
		waiting := make(chan error, 1)
		go func() { _, err := p.Engine(t.Context()); waiting <- err }()
		synctest.Wait()
		if err := p.Close(t.Context()); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want canceled", err)
		}
		if _, err := p.Engine(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("after close: got %v, want unavailable", err)
		}
	})
}

// local returns the memories of an engine as its owner sees them.
func local(e *engine.Engine) *engine.Memories { return e.In(hippo.LocalScope("")) }
