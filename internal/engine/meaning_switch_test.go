package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/store"
)

// The vectors of the former model are in the store: it serves also when there is
// no snapshot of the index, however long the wanted model takes.
func TestMeaning_SwitchWithoutSnapshot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newKept()
		m := openMind(t, b, "", slow(newFake("former")))
		m.fill(40)
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		m.end()
		wanted, former := newFake("wanted"), newFake("former")
		wanted.hold()
		m = openMind(t, b, "", slow(wanted), slow(former), instant(newFake("quick")))
		synctest.Wait()
		m.wantServing("former@1")
		if got := former.seen(); len(got) != 0 {
			t.Errorf("the former model embedded %d again", len(got))
		}
	})
}

// What is recorded while the wanted model catches up is found by the former one.
func TestMeaning_FormerModelKeepsUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, path := newKept(), snapshotIn(t)
		m := openMind(t, b, path, slow(newFake("former")))
		m.fill(200)
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		m.end()
		wanted := newFake("wanted")
		wanted.hold()
		m = openMind(t, b, path, slow(wanted), slow(newFake("former")))
		synctest.Wait()
		for batch := range 3 {
			for i := range 10 {
				m.record(fmt.Sprintf("late note%d%d", batch, i), .5)
			}
			m.search(hippo.Query{Text: "x"})
			wanted.pass(1)
			synctest.Wait()
		}
		m.wantServing("former@1")
	})
}

// A model that has embedded nothing does not answer in place of one that can,
// however few memories there are.
func TestMeaning_SmallStore(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(f *fake){
		"behind": func(f *fake) { f.hold() },
		"broken": func(f *fake) { f.damage(waysToBreak()[0].spoil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake("best")
				prepare(f)
				m := newMind(t, slow(f), instant(newFake("quick")))
				m.record("automobile", .5)
				m.fill(5)
				m.search(hippo.Query{Text: "x"})
				synctest.Wait()
				m.wantServing("quick@1")
				m.wantOrder(hippo.Query{Text: "car"}, "automobile")
			})
		})
	}
}

// A model that fails for one text embeds the others.
func TestMeaning_OneBadText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake("best")
		f.damage(func(texts []string, v [][]float32) ([][]float32, error) {
			if strings.Contains(strings.Join(texts, " "), "number070") {
				return nil, fmt.Errorf("text is not accepted: %w", hippo.ErrInvalid)
			}
			return v, nil
		})
		m := newMind(t, slow(f), instant(newFake("quick")))
		m.fill(80)
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		time.Sleep(time.Hour)
		m.search(hippo.Query{Text: "x"})
		synctest.Wait()
		if s := m.status().Models[0]; s.Embedded < 60 {
			t.Errorf("got %+v", s)
		}
	})
}

// Embed ends although a memory is purged, or changed, while it is embedded.
func TestEmbed_WhileMemoriesChange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(m *mind, s *store.Store, id hippo.ID) error{
		"purged": func(m *mind, _ *store.Store, id hippo.ID) error { return m.Purge(m.t.Context(), []hippo.ID{id}) },
		"purged_by_another": func(m *mind, s *store.Store, id hippo.ID) error {
			return s.Purge(m.t.Context(), []hippo.ID{id})
		},
		"changed_by_another": func(m *mind, s *store.Store, id hippo.ID) error {
			_, err := s.Update(m.t.Context(), []hippo.ID{id}, func(x *hippo.Memory, _ hippo.Day) error {
				x.Content = "changed"
				return nil
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake("best")
				f.hold()
				b := newKept()
				m := openMind(t, b, "", slow(f))
				id := m.record("first", .5) // the newest are embedded first
				m.fill(40)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				done := make(chan error, 1)
				go func() { done <- m.Embed(ctx, func(int, int) {}) }()
				synctest.Wait()
				if err := change(m, store.New(b, nil), id); err != nil {
					t.Error(err)
				}
				f.free()
				if err := <-done; err != nil {
					t.Errorf("got %v, want the rest embedded", err)
				}
			})
		})
	}
}

// Embed tries again: an earlier failure is no answer.
func TestEmbed_AfterRecovery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake("best")
		f.damage(waysToBreak()[0].spoil)
		m := newMind(t, slow(f))
		m.fill(40)
		if err := m.Embed(t.Context(), func(int, int) {}); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		f.damage(nil)
		if err := m.Embed(t.Context(), func(int, int) {}); err != nil {
			t.Errorf("got %v from a model that is well again", err)
		}
	})
}

// A loaded model gets to work soon, however often was searched while it loaded.
func TestMeaning_WorksSoonAfterLoading(t *testing.T) {
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
		m := newMind(t, slow(lazy), instant(newFake("quick")))
		m.fill(40)
		for range 10 {
			m.search(hippo.Query{Text: "x"})
			synctest.Wait()
		}
		close(loaded)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		m.wantServing("best@1")
	})
}

// An instant model that answers wrongly takes the meaning away, not the search.
func TestMeaning_BrokenInstantModel(t *testing.T) {
	t.Parallel()
	for _, way := range waysToBreak() {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			f := newFake("quick")
			m := newMind(t, instant(f))
			m.record("car", .5, "driving")
			m.record("boat", .5, "sailing")
			f.damage(limited(way.spoil))
			for _, q := range []hippo.Query{
				{Text: "car"},
				{Situation: []string{"driving"}},
			} {
				a, err := safely(func() (*hippo.Answer, error) { return m.Search(t.Context(), q) })
				if err != nil {
					t.Errorf("%+v: %v", q, err)
				} else if len(contents(a)) != 1 || !mentions(a.Degraded, way.says) {
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
func limited(spoil func([]string, [][]float32) ([][]float32, error)) func([]string, [][]float32) ([][]float32, error) {
	calls := 0
	return func(texts []string, v [][]float32) ([][]float32, error) {
		if calls++; calls > 1000 {
			return nil, errors.New("asked for the same a thousand times")
		}
		return spoil(texts, v)
	}
}

// Hits are in the range that was asked for, to the last digit.
func TestMeaning_RelevanceRange(t *testing.T) {
	t.Parallel()
	f := newFake("quick")
	f.dense, f.model.Dimension = true, 64
	m := newMind(t, instant(f))
	for i := range 400 {
		m.record(fmt.Sprintf("car word%d", i), .5)
	}
	wrong, hits := 0, 0
	for i := range 20 {
		r := hippo.Range{Min: .6 + float64(i)/100, Max: .6 + float64(i+1)/100}
		a := m.search(hippo.Query{Text: "car", Ranker: hippo.RankerCosine, Relevance: &r, Count: hippo.MaxCount, NoTouch: true})
		for _, h := range a.Hits {
			if hits++; h.Relevance < r.Min || h.Relevance > r.Max {
				wrong++
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d hits are outside of the range", wrong, hits)
	}
}
