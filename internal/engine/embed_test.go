package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store"
)

func TestEmbed_ReportsProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		w.Block()
		f := openWithModels(t, slow(w), instant(embedtest.NewWords("quick")))
		f.fill(40)
		last, calls := -1, 0
		err := f.Embed(t.Context(), func(embedded, memories int) {
			if embedded < last || memories != 40 {
				t.Errorf("%d of %d after %d", embedded, memories, last)
			}
			last, calls = embedded, calls+1
			w.Admit(1)
		})
		if err != nil || last != 40 || calls < 3 {
			t.Errorf("got %v after %d calls, the last with %d", err, calls, last)
		}
		f.wantStored(map[string]int{"best@1": 40})
		f.wantServing("best@1")
	})
}

func TestEmbed_Instant(t *testing.T) {
	t.Parallel()
	f := openWithModels(t, instant(embedtest.NewWords("quick")))
	f.fill(300)
	if err := f.Embed(t.Context(), func(int, int) {}); err != nil {
		t.Error(err)
	}
	if s := f.status().Models[0]; s.Embedded != 300 || !s.Instant {
		t.Errorf("got %+v", s)
	}
	if err := open(t, options{}).Embed(t.Context(), func(int, int) {}); err != nil {
		t.Errorf("without a model: %v", err)
	}
}

func TestEmbed_FailsWithTheModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		f := openWithModels(t, slow(w), instant(embedtest.NewWords("quick")))
		f.fill(40)
		w.Spoil(func(texts []string, v [][]float32) ([][]float32, error) {
			if strings.Contains(strings.Join(texts, " "), "number000") {
				return nil, errBroken
			}
			return v, nil
		})
		if err := f.Embed(t.Context(), func(int, int) {}); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		f.wantStored(map[string]int{"best@1": 32})
		if got := f.status().Memories; got != 40 {
			t.Errorf("%d memories are left of 40", got)
		}
	})
}

func TestEmbed_InterruptedKeepsWhatIsDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		w.Block()
		b := newPersistent()
		f := open(t, options{backend: b, models: []embedding.Model{slow(w)}})
		f.fill(40)
		w.Admit(1)
		ctx, cancel := context.WithCancel(t.Context())
		err := f.Embed(ctx, func(embedded, _ int) {
			if embedded == 16 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		f.end()
		if got := len(w.Passages()); got != 32 { // the second batch was under way
			t.Errorf("asked for %d passages, want 32", got)
		}
		f = open(t, options{backend: b, models: []embedding.Model{slow(embedtest.NewWords("best"))}})
		f.wantStored(map[string]int{"best@1": 16})
	})
}

// Embed ends although a memory is purged, or changed, while it is embedded.
func TestEmbed_WhileMemoriesChange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(ctx context.Context, f *fixture, other store.Scoped, id hippo.ID) error{
		"purged": func(ctx context.Context, f *fixture, _ store.Scoped, id hippo.ID) error {
			return memory.Purge(ctx, f.Memories, []hippo.ID{id})
		},
		"purged_by_another_process": func(ctx context.Context, _ *fixture, other store.Scoped, id hippo.ID) error {
			return other.Purge(ctx, []hippo.ID{id})
		},
		"changed_by_another_process": func(ctx context.Context, _ *fixture, other store.Scoped, id hippo.ID) error {
			_, err := other.Update(ctx, []hippo.ID{id}, func(m *hippo.Memory, _ hippo.Day) error {
				m.Content = "changed"
				return nil
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := embedtest.NewWords("best")
				w.Block()
				b := newPersistent()
				f := open(t, options{backend: b, models: []embedding.Model{slow(w)}})
				id := f.record("first", .5) // the newest are embedded first
				f.fill(40)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				done := make(chan error, 1)
				go func() { done <- f.Embed(ctx, func(int, int) {}) }()
				synctest.Wait()
				if err := change(ctx, f, store.New(b, nil).In(f.Scope), id); err != nil {
					t.Error(err)
				}
				w.Unblock()
				if err := <-done; err != nil {
					t.Errorf("got %v, want the rest embedded", err)
				}
			})
		})
	}
}

// Embed tries again, and does not return an earlier failure.
func TestEmbed_AfterRecovery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		w.Spoil(failures()[0].spoil)
		f := openWithModels(t, slow(w))
		f.fill(40)
		if err := f.Embed(t.Context(), func(int, int) {}); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		w.Spoil(nil)
		if err := f.Embed(t.Context(), func(int, int) {}); err != nil {
			t.Errorf("got %v from a model that works again", err)
		}
	})
}

// Close does not wait for a model that is embedding, nor for the next attempt of one that
// failed. The bubble ends only when all goroutines have.
func TestClose_WhileEmbedding(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(w *embedtest.Words){
		"embedding": func(w *embedtest.Words) { w.Block() },
		"failed":    func(w *embedtest.Words) { w.Spoil(failures()[0].spoil) },
		"idle":      func(*embedtest.Words) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, quick := embedtest.NewWords("best"), embedtest.NewWords("quick")
				prepare(w)
				f := openWithModels(t, slow(w), instant(quick))
				f.fill(40)
				f.search(hippo.Query{Text: "x"})
				synctest.Wait()
				before := time.Now()
				f.end()
				if d := time.Since(before); d > time.Second { // of the bubble: it waited for a timer
					t.Errorf("took %v", d)
				}
				if w.Closed() != 1 || quick.Closed() != 1 {
					t.Errorf("the models were closed %d and %d times", w.Closed(), quick.Closed())
				}
			})
		})
	}
}
