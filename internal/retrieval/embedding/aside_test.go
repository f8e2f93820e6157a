package embedding_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// work works n milliseconds, and lets searches pass after each.
func work(ctx context.Context, p *process, n int) error {
	aside := embedding.StandAside(p.Follower)
	for range n {
		time.Sleep(time.Millisecond)
		if err := aside(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Work takes its own time where nobody searches, waits for a search, and goes on soon after it.
func TestStandAside_WaitsForASearch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := mustBegin(t, memstore.New(nil), embedding.Config{})
		time.Sleep(time.Second)
		start := time.Now()
		if err := work(t.Context(), p, 1000); err != nil || time.Since(start) != time.Second {
			t.Errorf("alone, a second of work took %v, error %v", time.Since(start), err)
		}
		end := p.Searching()
		done := make(chan time.Duration)
		start = time.Now()
		go func() {
			_ = work(t.Context(), p, 1) // it cannot fail
			done <- time.Since(start)
		}()
		time.Sleep(20 * time.Millisecond)
		end()
		if took := <-done; took < 20*time.Millisecond || took > 30*time.Millisecond {
			t.Errorf("beside a search of 20 ms a step took %v, want it to go on soon after it", took)
		}
	})
}

// Work ends beside a search that never ends, and beside searches with rests that are too short, or long enough for
// one step each, in about twice its time.
func TestStandAside_IsNotStarved(t *testing.T) {
	t.Parallel()
	for _, rest := range []time.Duration{0, 2 * time.Millisecond, 6 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			p := mustBegin(t, memstore.New(nil), embedding.Config{})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for ctx.Err() == nil {
					end := p.Searching()
					if rest == 0 {
						<-ctx.Done()
					}
					time.Sleep(20 * time.Millisecond)
					end()
					time.Sleep(rest)
				}
			}()
			synctest.Wait()
			start := time.Now()
			err := work(t.Context(), p, 1000)
			if took := time.Since(start); err != nil || took < 1900*time.Millisecond || took > 2200*time.Millisecond {
				t.Errorf("with rests of %v a second of work took %v, error %v, want about 2 s", rest, took, err)
			}
			cancel()
			time.Sleep(time.Second)
		})
	}
}

// The end of the context ends the wait.
func TestStandAside_Cancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := mustBegin(t, memstore.New(nil), embedding.Config{})
		defer p.Searching()()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		start := time.Now()
		if err := work(ctx, p, 100); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10*time.Millisecond {
			t.Errorf("error %v after %v, want that of the context at once", err, time.Since(start))
		}
	})
}
