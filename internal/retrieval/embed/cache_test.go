package embed_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
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

func TestCache_evicts_the_least_recently_used(t *testing.T) {
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

func TestCache_returns_copies(t *testing.T) {
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

func TestCache_keeps_no_error(t *testing.T) {
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

func TestCache_Wait(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such file")
	lazy := embed.NewLazy(fakeModel(), func(context.Context) (embed.Embedder, error) { return nil, broken })
	c := embed.NewCache(lazy, 0)
	if err := c.Wait(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the inner embedder", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Wait(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("got %v, want that the inner embedder is closed", err)
	}
	if err := embed.NewCache(&fake{}, 0).Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCache_concurrent(t *testing.T) {
	t.Parallel()
	c := embed.NewCache(&fake{}, 3)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() { mustEmbed(t, c, embed.Role(i%3), fmt.Sprint(i%7), fmt.Sprint(i%5), fmt.Sprint(i%7)) })
	}
	wg.Wait()
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
