package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

var errBroken = errors.New("the model is broken")

// failure is one way in which a model answers wrongly, and what is reported of it.
type failure struct {
	name  string
	spoil embedtest.Spoil
	says  string
}

// failures lists them. All but one vector of an answer are right.
func failures() []failure {
	return []failure{
		{"error", func([]string, [][]float32) ([][]float32, error) { return nil, errBroken }, errBroken.Error()},
		{"too_few", func(_ []string, v [][]float32) ([][]float32, error) { return v[1:], nil }, "vectors for"},
		{"too_many", func(_ []string, v [][]float32) ([][]float32, error) { return append(v, v[0]), nil }, "vectors for"},
		{"dimension", func(_ []string, v [][]float32) ([][]float32, error) {
			v[0] = v[0][1:]
			return v, nil
		}, "dimensions"},
		{"empty", func(_ []string, v [][]float32) ([][]float32, error) {
			v[0] = nil
			return v, nil
		}, "dimensions"},
		{"nan", func(_ []string, v [][]float32) ([][]float32, error) {
			v[0][0] = float32(math.NaN())
			return v, nil
		}, "length NaN"},
		{"infinite", func(_ []string, v [][]float32) ([][]float32, error) {
			v[0][0] = float32(math.Inf(1))
			return v, nil
		}, "length +Inf"},
		{"length", func(_ []string, v [][]float32) ([][]float32, error) {
			for i := range v[0] {
				v[0][i] *= 2
			}
			return v, nil
		}, ", want 1: "},
	}
}

// A model that answers wrongly does not serve: the other one does, answers and status say why,
// and the model goes on when it answers rightly again.
func TestEmbedding_BrokenModel(t *testing.T) {
	t.Parallel()
	for _, failure := range failures() {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := embedtest.NewWords("best")
				w.Spoil(failure.spoil)
				f := openWithModels(t, slow(w), instant(embedtest.NewWords("quick")))
				f.record("automobile", .5)
				f.fill(40)
				f.wantOrder(hippo.Query{Text: "car"}, "automobile")
				synctest.Wait()
				f.wantServing("quick@1")
				a := f.search(hippo.Query{Text: "car"})
				if len(contents(a)) != 1 || !mentions(a.Degraded, "best@1", "0 of 41", failure.says) {
					t.Errorf("got %q, degraded %q", contents(a), a.Degraded)
				}
				s := f.status()
				if s.Memories != 41 || s.Models[0].Embedded != 0 || !mentions([]string{s.Models[0].Err.Error()}, failure.says) || !mentions(s.Degraded, failure.says) {
					t.Errorf("got status %+v", s)
				}
				f.wantStored(map[string]int{})
				w.Spoil(nil)
				time.Sleep(2 * time.Minute) // of the bubble: the next attempt is within one
				synctest.Wait()
				f.wantServing("best@1")
				if s := f.status(); len(s.Degraded) != 0 || s.Models[0].Err != nil || s.Models[0].Embedded != 41 {
					t.Errorf("got status %+v after the recovery", s)
				}
				f.wantStored(map[string]int{"best@1": 41})
			})
		})
	}
}

// A query that cannot be embedded is answered lexically, and the answer says why.
func TestEmbedding_BrokenQuery(t *testing.T) {
	t.Parallel()
	for _, failure := range failures() {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := embedtest.NewWords("best")
				f := openWithModels(t, slow(w))
				f.record("automobile", .5)
				f.record("car", .5)
				f.search(hippo.Query{Text: "x"})
				synctest.Wait()
				f.wantOrder(hippo.Query{Text: "car"}, "car", "automobile")
				w.Spoil(failure.spoil)
				for _, r := range []hippo.Ranker{hippo.RankerHippo, hippo.RankerInsight, hippo.RankerCosine} {
					a := f.search(hippo.Query{Text: "car", Ranker: r})
					if c := contents(a); len(c) != 1 || c[0] != "car" || !mentions(a.Degraded, "semantic search: ", failure.says) {
						t.Errorf("%s: got %q, degraded %q", r, c, a.Degraded)
					}
				}
				if a := f.search(hippo.Query{Text: "car", Ranker: hippo.RankerBM25}); len(a.Degraded) != 0 {
					t.Errorf("lexical search is degraded: %q", a.Degraded)
				}
				if s := f.status(); s.Models[0].Embedded != 2 || s.Models[0].Err != nil {
					t.Errorf("got status %+v", s.Models)
				}
				w.Spoil(nil)
				f.wantOrder(hippo.Query{Text: "car"}, "car", "automobile")
			})
		})
	}
}

// The end of the context of a search ends it with that error, and not with a lexical answer.
func TestEmbedding_CancelledQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		f := openWithModels(t, slow(w))
		f.record("car", .5)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		w.Spoil(func([]string, [][]float32) ([][]float32, error) {
			cancel()
			return nil, ctx.Err()
		})
		if a, err := query.Search(ctx, f.Memories, hippo.Query{Text: "car"}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %+v (%v), want canceled", a, err)
		}
	})
}

func TestEmbedding_LoadsInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		loaded := make(chan struct{})
		lazy := embed.NewLazy(w.Identity, func(ctx context.Context) (embed.Embedder, error) {
			select {
			case <-loaded:
				return w, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		f := openWithModels(t, slow(lazy))
		f.record("automobile", .5)
		f.record("car", .5)
		f.fill(20)
		for range 2 {
			a := f.search(hippo.Query{Text: "car"})
			if c := contents(a); len(c) != 1 || !mentions(a.Degraded, "0 of 22") {
				t.Errorf("got %q, degraded %q", c, a.Degraded)
			}
			synctest.Wait()
		}
		if s := f.status(); !mentions(s.Degraded, embed.ErrNotReady.Error()) {
			t.Errorf("got degraded %q", s.Degraded)
		}
		done := make(chan error, 1)
		go func() { done <- f.Embed(t.Context(), func(int, int) {}) }()
		synctest.Wait()
		close(loaded)
		if err := f.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil { // loading is no error, but waited for
			t.Error(err)
		}
		f.wantServing("best@1")
		f.wantOrder(hippo.Query{Text: "car"}, "car", "automobile")
		f.end()
		if w.Closed() != 1 {
			t.Errorf("the model was closed %d times", w.Closed())
		}
	})
}

func TestEmbedding_LoadFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		attempts := 0
		lazy := embed.NewLazy(w.Identity, func(context.Context) (embed.Embedder, error) {
			if attempts++; attempts == 1 {
				return nil, errBroken
			}
			return w, nil
		})
		f := openWithModels(t, slow(lazy), instant(embedtest.NewWords("quick")))
		f.record("automobile", .5)
		f.fill(20)
		if err := f.Ready(t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		if a := f.search(hippo.Query{Text: "car"}); len(a.Hits) != 1 || !mentions(a.Degraded, "best@1", errBroken.Error()) {
			t.Errorf("got %q, degraded %q", contents(a), a.Degraded)
		}
		if err := f.Embed(t.Context(), func(int, int) {}); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		f.wantServing("best@1")
	})
}

// A model that has embedded nothing does not answer in place of one that can,
// however few memories there are.
func TestEmbedding_SmallStore(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(w *embedtest.Words){
		"behind": func(w *embedtest.Words) { w.Block() },
		"broken": func(w *embedtest.Words) { w.Spoil(failures()[0].spoil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := embedtest.NewWords("best")
				prepare(w)
				f := openWithModels(t, slow(w), instant(embedtest.NewWords("quick")))
				f.record("automobile", .5)
				f.fill(5)
				f.search(hippo.Query{Text: "x"})
				synctest.Wait()
				f.wantServing("quick@1")
				f.wantOrder(hippo.Query{Text: "car"}, "automobile")
			})
		})
	}
}

// A model that fails for one text embeds the others.
func TestEmbedding_OneBadText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		w.Spoil(func(texts []string, v [][]float32) ([][]float32, error) {
			if strings.Contains(strings.Join(texts, " "), "number070") {
				return nil, fmt.Errorf("text is not accepted: %w", hippo.ErrInvalid)
			}
			return v, nil
		})
		f := openWithModels(t, slow(w), instant(embedtest.NewWords("quick")))
		f.fill(80)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		time.Sleep(time.Hour)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		if s := f.status().Models[0]; s.Embedded < 60 {
			t.Errorf("got %+v", s)
		}
	})
}

// A loaded model works soon, however many searches there were while it loaded.
func TestEmbedding_WorksSoonAfterLoading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		loaded := make(chan struct{})
		lazy := embed.NewLazy(w.Identity, func(ctx context.Context) (embed.Embedder, error) {
			select {
			case <-loaded:
				return w, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		f := openWithModels(t, slow(lazy), instant(embedtest.NewWords("quick")))
		f.fill(40)
		for range 10 {
			f.search(hippo.Query{Text: "x"})
			synctest.Wait()
		}
		close(loaded)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		f.wantServing("best@1")
	})
}

// Without the vectors of an instant model that answers wrongly, searches are lexical.
func TestEmbedding_BrokenInstantModel(t *testing.T) {
	t.Parallel()
	for _, failure := range failures() {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			w := embedtest.NewWords("quick")
			f := openWithModels(t, instant(w))
			f.record("car", .5, "driving")
			f.record("boat", .5, "sailing")
			w.Spoil(limited(failure.spoil))
			for _, q := range []hippo.Query{
				{Text: "car"},
				{Situation: []string{"driving"}},
			} {
				a, err := safely(func() (*hippo.Answer, error) { return query.Search(t.Context(), f.Memories, q) })
				if err != nil {
					t.Errorf("%+v: %v", q, err)
				} else if len(contents(a)) != 1 || !mentions(a.Degraded, failure.says) {
					t.Errorf("situation %v: got %q, degraded %q", q.Situation, contents(a), a.Degraded)
				}
			}
		})
	}
}

// safely turns a panic into an error.
func safely(search func() (*hippo.Answer, error)) (a *hippo.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return search()
}

// limited ends an endless loop by an error.
func limited(spoil embedtest.Spoil) embedtest.Spoil {
	calls := 0
	return func(texts []string, v [][]float32) ([][]float32, error) {
		if calls++; calls > 1000 {
			return nil, errors.New("asked for the same a thousand times")
		}
		return spoil(texts, v)
	}
}

// What could not be wired is reported by everything that would have used it.
func TestEmbedding_ReportsWhatIsNotWired(t *testing.T) {
	t.Parallel()
	const why = "semantic search: model other: no such file"
	f := open(t, options{models: []embedding.Model{instant(embedtest.NewWords("quick"))}, degraded: []string{why}})
	for range 2 { // the second does not see what was appended for the first
		for text, want := range map[string]int{"car": 1, "": 0} {
			if a := f.search(hippo.Query{Text: text}); len(a.Degraded) != want {
				t.Errorf("query %q: got %+v, want %d lines", text, a, want)
			}
		}
		if s := f.status(); len(s.Degraded) != 1 || s.Degraded[0] != why {
			t.Errorf("got %+v", s)
		}
	}
}
