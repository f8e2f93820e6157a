package engine_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

var errBroken = errors.New("the model is broken")

// broken is one way in which a model answers wrongly.
type broken struct {
	name  string
	spoil func(texts []string, vectors [][]float32) ([][]float32, error)
	says  string
}

// waysToBreak lists them. All but one vector of an answer are good.
func waysToBreak() []broken {
	return []broken{
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

// A model that answers wrongly answers nothing: the other model serves, everything
// says why, and it goes on when it is well again.
func TestMeaning_BrokenModel(t *testing.T) {
	t.Parallel()
	for _, way := range waysToBreak() {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake("best")
				f.damage(way.spoil)
				m := newMind(t, slow(f), instant(newFake("quick")))
				m.record("automobile", .5)
				m.fill(40)
				m.wantOrder(hippo.Query{Text: "car"}, "automobile")
				synctest.Wait()
				m.wantServing("quick@1")
				a := m.search(hippo.Query{Text: "car"})
				if len(contents(a)) != 1 || !mentions(a.Degraded, "best@1", "0 of 41", way.says) {
					t.Errorf("got %q, degraded %q", contents(a), a.Degraded)
				}
				s := m.status()
				if s.Memories != 41 || s.Models[0].Embedded != 0 || !mentions([]string{s.Models[0].Error}, way.says) || !mentions(s.Degraded, way.says) {
					t.Errorf("got status %+v", s)
				}
				m.wantKept(map[string]int{})
				f.damage(nil)
				time.Sleep(2 * time.Minute) // of the bubble: the next attempt is within one
				synctest.Wait()
				m.wantServing("best@1")
				if s := m.status(); len(s.Degraded) != 0 || s.Models[0].Error != "" || s.Models[0].Embedded != 41 {
					t.Errorf("got status %+v after the recovery", s)
				}
				m.wantKept(map[string]int{"best@1": 41})
			})
		})
	}
}

// A query that cannot be embedded is answered by words, and says why.
func TestMeaning_BrokenQuery(t *testing.T) {
	t.Parallel()
	for _, way := range waysToBreak() {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake("best")
				m := newMind(t, slow(f))
				m.record("automobile", .5)
				m.record("car", .5)
				m.search(hippo.Query{Text: "x"})
				synctest.Wait()
				m.wantOrder(hippo.Query{Text: "car"}, "car", "automobile")
				f.damage(way.spoil)
				for _, r := range []hippo.Ranker{hippo.RankerHippo, hippo.RankerInsight, hippo.RankerCosine} {
					a := m.search(hippo.Query{Text: "car", Ranker: r})
					if c := contents(a); len(c) != 1 || c[0] != "car" || !mentions(a.Degraded, "meaning: ", way.says) {
						t.Errorf("%s: got %q, degraded %q", r, c, a.Degraded)
					}
				}
				if a := m.search(hippo.Query{Text: "car", Ranker: hippo.RankerBM25}); len(a.Degraded) != 0 {
					t.Errorf("words alone are degraded: %q", a.Degraded)
				}
				if s := m.status(); s.Models[0].Embedded != 2 || s.Models[0].Error != "" {
					t.Errorf("got status %+v", s.Models)
				}
				f.damage(nil)
				m.wantOrder(hippo.Query{Text: "car"}, "car", "automobile")
			})
		})
	}
}

// The end of the context of a search ends it with that error, not without meaning.
func TestMeaning_CancelledQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake("best")
		m := newMind(t, slow(f))
		m.record("car", .5)
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		f.damage(func([]string, [][]float32) ([][]float32, error) {
			cancel()
			return nil, ctx.Err()
		})
		if a, err := m.Search(ctx, hippo.Query{Text: "car"}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %+v (%v), want canceled", a, err)
		}
	})
}

func TestMeaning_LoadsWhileWordsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake("best")
		loaded := make(chan struct{})
		lazy := embed.NewLazy(f.model, func(ctx context.Context) (embed.Embedder, error) {
			select {
			case <-loaded:
				return f, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		m := newMind(t, slow(lazy))
		m.record("automobile", .5)
		m.record("car", .5)
		m.fill(20)
		for range 2 {
			a := m.search(hippo.Query{Text: "car"})
			if c := contents(a); len(c) != 1 || !mentions(a.Degraded, "0 of 22") {
				t.Errorf("got %q, degraded %q", c, a.Degraded)
			}
			synctest.Wait()
		}
		if s := m.status(); !mentions(s.Degraded, embed.ErrNotReady.Error()) {
			t.Errorf("got degraded %q", s.Degraded)
		}
		done := make(chan error, 1)
		go func() { done <- m.Embed(t.Context(), func(int, int) {}) }()
		synctest.Wait()
		close(loaded)
		if err := m.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil { // loading is no error, but waited for
			t.Error(err)
		}
		m.wantServing("best@1")
		m.wantOrder(hippo.Query{Text: "car"}, "car", "automobile")
		m.end()
		if f.closed != 1 {
			t.Errorf("the model was closed %d times", f.closed)
		}
	})
}

func TestMeaning_LoadFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake("best")
		attempts := 0
		lazy := embed.NewLazy(f.model, func(context.Context) (embed.Embedder, error) {
			if attempts++; attempts == 1 {
				return nil, errBroken
			}
			return f, nil
		})
		m := newMind(t, slow(lazy), instant(newFake("quick")))
		m.record("automobile", .5)
		m.fill(20)
		if err := m.Ready(t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		if a := m.search(hippo.Query{Text: "car"}); len(a.Hits) != 1 || !mentions(a.Degraded, "best@1", errBroken.Error()) {
			t.Errorf("got %q, degraded %q", contents(a), a.Degraded)
		}
		if err := m.Embed(t.Context(), func(int, int) {}); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		m.wantServing("best@1")
	})
}

func TestEmbed_ReportsProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake("best")
		f.hold()
		m := newMind(t, slow(f), instant(newFake("quick")))
		m.fill(40)
		last, calls := -1, 0
		err := m.Embed(t.Context(), func(embedded, memories int) {
			if embedded < last || memories != 40 {
				t.Errorf("%d of %d after %d", embedded, memories, last)
			}
			last, calls = embedded, calls+1
			f.pass(1)
		})
		if err != nil || last != 40 || calls < 3 {
			t.Errorf("got %v after %d calls, the last with %d", err, calls, last)
		}
		m.wantKept(map[string]int{"best@1": 40})
		m.wantServing("best@1")
	})
}

func TestEmbed_Instant(t *testing.T) {
	t.Parallel()
	m := newMind(t, instant(newFake("quick")))
	m.fill(300)
	if err := m.Embed(t.Context(), func(int, int) {}); err != nil {
		t.Error(err)
	}
	if s := m.status().Models[0]; s.Embedded != 300 || !s.Instant {
		t.Errorf("got %+v", s)
	}
	if err := newMind(t).Embed(t.Context(), func(int, int) {}); err != nil {
		t.Errorf("without a model: %v", err)
	}
}

func TestEmbed_FailsWithTheModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake("best")
		m := newMind(t, slow(f), instant(newFake("quick")))
		m.fill(40)
		f.damage(func(texts []string, v [][]float32) ([][]float32, error) {
			if strings.Contains(strings.Join(texts, " "), "number000") {
				return nil, errBroken
			}
			return v, nil
		})
		if err := m.Embed(t.Context(), func(int, int) {}); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		m.wantKept(map[string]int{"best@1": 32})
		if got := m.status().Memories; got != 40 {
			t.Errorf("%d memories are left of 40", got)
		}
	})
}

func TestEmbed_InterruptedKeepsWhatIsDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake("best")
		f.hold()
		b := newKept()
		m := openMind(t, b, "", slow(f))
		m.fill(40)
		f.pass(1)
		ctx, cancel := context.WithCancel(t.Context())
		err := m.Embed(ctx, func(embedded, _ int) {
			if embedded == 16 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		m.end()
		if got := len(f.seen()); got != 32 { // the second batch was under way
			t.Errorf("asked for %d passages, want 32", got)
		}
		m = openMind(t, b, "", slow(newFake("best")))
		m.wantKept(map[string]int{"best@1": 16})
	})
}

// Close does not wait for a model that is at work, nor for the next attempt of one
// that failed. The bubble ends only when all goroutines have.
func TestClose_WhileEmbedding(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(f *fake){
		"at_work": func(f *fake) { f.hold() },
		"failed":  func(f *fake) { f.damage(waysToBreak()[0].spoil) },
		"idle":    func(*fake) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, g := newFake("best"), newFake("quick")
				prepare(f)
				m := newMind(t, slow(f), instant(g))
				m.fill(40)
				m.search(hippo.Query{Text: "x"})
				synctest.Wait()
				before := time.Now()
				m.end()
				if d := time.Since(before); d > time.Second { // of the bubble: it waited for a timer
					t.Errorf("took %v", d)
				}
				if f.closed != 1 || g.closed != 1 {
					t.Errorf("the models were closed %d and %d times", f.closed, g.closed)
				}
			})
		})
	}
}

// What could not be wired is told by all that would have used it.
func TestMeaning_TellsWhatIsNotWired(t *testing.T) {
	t.Parallel()
	s := store.New(memstore.New(nil), nil)
	x, err := index.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	const why = "meaning: model other: no such file"
	e := engine.New(engine.Config{Store: s, Index: x, Models: []engine.Model{instant(newFake("quick"))}, Degraded: []string{why}})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	for range 2 { // the second does not see what was appended for the first
		for text, want := range map[string]int{"car": 1, "": 0} {
			a, err := e.Search(t.Context(), hippo.Query{Text: text})
			if err != nil || len(a.Degraded) != want {
				t.Errorf("query %q: got %+v (%v), want %d lines", text, a, err, want)
			}
		}
		if st, err := e.Status(t.Context()); err != nil || len(st.Degraded) != 1 || st.Degraded[0] != why {
			t.Errorf("got %+v (%v)", st, err)
		}
	}
}
