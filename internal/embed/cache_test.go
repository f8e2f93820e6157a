package embed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/embed"
)

func TestCache_Embed(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := embed.NewCache(f, 0)
	mustEmbed(t, c, embed.Passage, "a", "b", "a")
	mustEmbed(t, c, embed.Passage, "c", "b")
	mustEmbed(t, c, embed.Passage)
	mustEmbed(t, c, embed.Query, "a")
	mustEmbed(t, c, embed.Passage, "A")
	wantAsked(t, f, []string{"a", "b"}, []string{"c"}, []string{"a"}, []string{"A"})
	if got := c.Stats(); got.Hits != 2 || got.Misses != 5 {
		t.Errorf("got %+v, want 2 hits and 5 misses", got)
	}
	if got := c.Model(); got != fakeModel() {
		t.Errorf("model %+v", got)
	}
}

func TestCache_same_text(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := embed.NewCache(f, 0)
	for _, s := range []string{" caf\u00e9\n", "cafe\u0301", "caf\u00e9"} {
		got, err := c.Embed(t.Context(), embed.Query, []string{s})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(vectorsOf(embed.Query, "caf\u00e9"), got); diff != "" {
			t.Error(diff)
		}
	}
	wantAsked(t, f, []string{"caf\u00e9"})
}

func TestCache_drops_what_was_not_asked_for_longest(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := embed.NewCache(f, 2)
	mustEmbed(t, c, embed.Query, "a")
	mustEmbed(t, c, embed.Query, "b")
	mustEmbed(t, c, embed.Query, "a")
	mustEmbed(t, c, embed.Query, "c")
	mustEmbed(t, c, embed.Query, "a")
	mustEmbed(t, c, embed.Query, "b")
	wantAsked(t, f, []string{"a"}, []string{"b"}, []string{"c"}, []string{"b"})
}

func TestCache_batch_larger_than_cache(t *testing.T) {
	t.Parallel()
	c := embed.NewCache(&fake{}, 2)
	mustEmbed(t, c, embed.Query, "a", "b", "c", "d", "a")
	mustEmbed(t, c, embed.Query, "d", "c", "b", "a")
}

func TestCache_gives_copies(t *testing.T) {
	t.Parallel()
	c := embed.NewCache(&fake{}, 0)
	for range 2 {
		got, err := c.Embed(t.Context(), embed.Query, []string{"a", "a"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(vectorsOf(embed.Query, "a", "a"), got); diff != "" {
			t.Fatal(diff)
		}
		got[0][0] = 9
		if got[1][0] == 9 {
			t.Fatal("two texts share a vector")
		}
	}
}

func TestCache_forgets_errors(t *testing.T) {
	t.Parallel()
	f := &fake{err: embed.ErrNotReady}
	c := embed.NewCache(f, 0)
	if _, err := c.Embed(t.Context(), embed.Query, []string{"a"}); !errors.Is(err, embed.ErrNotReady) {
		t.Fatalf("got %v, want ErrNotReady", err)
	}
	f.fail(nil)
	mustEmbed(t, c, embed.Query, "a")
}

func TestCache_refuses_wrong_vectors(t *testing.T) {
	t.Parallel()
	c := embed.NewCache(short{&fake{}}, 0)
	if _, err := c.Embed(t.Context(), embed.Query, []string{"a", "b"}); err == nil {
		t.Fatal("want an error")
	}
}

func TestCache_computes_once_for_all(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{gate: make(chan struct{})}
		c := embed.NewCache(f, 0)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { mustEmbed(t, c, embed.Query, "shared", fmt.Sprint(i%2)) })
			synctest.Wait()
		}
		close(f.gate)
		wg.Wait()
		wantAsked(t, f, []string{"shared", "0"}, []string{"1"})
		if got := c.Stats(); got.Hits != 37 || got.Misses != 3 {
			t.Errorf("got %+v, want 37 hits and 3 misses", got)
		}
	})
}

func TestCache_goes_on_while_one_waits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{gate: make(chan struct{})}
		c := embed.NewCache(f, 0)
		first, leave := context.WithCancel(t.Context())
		got := make(chan error, 1)
		go func() {
			_, err := c.Embed(first, embed.Query, []string{"a"})
			got <- err
		}()
		synctest.Wait()
		var wg sync.WaitGroup
		wg.Go(func() { mustEmbed(t, c, embed.Query, "a") })
		synctest.Wait()
		leave()
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want Canceled", err)
		}
		synctest.Wait()
		f.gate <- struct{}{}
		wg.Wait()
		wantAsked(t, f, []string{"a"})
	})
}

func TestCache_ends_when_nobody_waits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{gate: make(chan struct{})}
		c := embed.NewCache(f, 0)
		ctx, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := c.Embed(ctx, embed.Query, []string{"a"}); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want Canceled", err)
				}
			})
		}
		synctest.Wait()
		leave()
		wg.Wait()
		synctest.Wait()
		if f.endedCalls() != 1 {
			t.Errorf("%d calls ended, want 1", f.endedCalls())
		}
		close(f.gate)
		mustEmbed(t, c, embed.Query, "a")
	})
}

// TestCache_late_caller comes when a computation was ended that has not returned.
func TestCache_late_caller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &stubborn{fake: &fake{}, gate: make(chan struct{})}
		c := embed.NewCache(s, 0)
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := c.Embed(ctx, embed.Query, []string{"a"})
			gone <- err
		}()
		synctest.Wait()
		leave()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want Canceled", err)
		}
		synctest.Wait()
		var wg sync.WaitGroup
		wg.Go(func() { mustEmbed(t, c, embed.Query, "a") })
		synctest.Wait()
		close(s.gate)
		wg.Wait()
		mustEmbed(t, c, embed.Query, "a")
	})
}

// stubborn is an Embedder that notices late that its context ended.
type stubborn struct {
	*fake
	gate chan struct{}
}

func (s *stubborn) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	<-s.gate
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.fake.Embed(ctx, role, texts)
}

func TestCache_is_not_harmed_by_texts_of_others(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{gate: make(chan struct{})}
		c := embed.NewCache(f, 0)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Embed(t.Context(), embed.Query, []string{"good", "bad"}); !errors.Is(err, errBadText) {
				t.Errorf("got %v, want errBadText", err)
			}
		})
		synctest.Wait()
		wg.Go(func() { mustEmbed(t, c, embed.Query, "good", "other") })
		synctest.Wait()
		close(f.gate)
		wg.Wait()
		for _, b := range f.asked()[1:] {
			if slices.Contains(b, "bad") {
				t.Errorf("asked for the bad text again: %q", b)
			}
		}
	})
}

// TestCache_is_transparent compares a small cache with what is behind it.
func TestCache_is_transparent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := embed.NewCache(&fake{}, rapid.IntRange(1, 5).Draw(t, "size"))
		text := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"})
		for range rapid.IntRange(1, 20).Draw(t, "calls") {
			role := embed.Role(rapid.IntRange(0, 2).Draw(t, "role"))
			texts := rapid.SliceOfN(text, 0, 8).Draw(t, "texts")
			got, err := c.Embed(context.Background(), role, texts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(vectorsOf(role, texts...), got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func BenchmarkCache_hit(b *testing.B) {
	c := embed.NewCache(&fake{}, 0)
	texts := []string{"a question of some ten words that was asked before, too"}
	for b.Loop() {
		if _, err := c.Embed(b.Context(), embed.Query, texts); err != nil {
			b.Fatal(err)
		}
	}
}
