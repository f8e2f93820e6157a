package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// interrupted is a back end on which something happens before memories are read.
type interrupted struct {
	driver.Backend
	mu   sync.Mutex
	next func()
}

func (*interrupted) Close() error { return nil }

func (b *interrupted) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	b.mu.Lock()
	next := b.next
	b.next = nil
	b.mu.Unlock()
	if next != nil {
		next()
	}
	return b.Backend.Get(ctx, ids)
}

// Another process may change memories after the index was asked and before their contents are
// read.
func TestSearch_ChangesBetweenIndexAndStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(ctx context.Context, s store.Scoped) error
		now    []string // what the search finds, and what the next one does
		then   []string
	}{
		"changed": {func(ctx context.Context, s store.Scoped) error {
			_, err := s.Update(ctx, []hippo.ID{idOf(1)}, func(m *hippo.Memory, _ hippo.Day) error {
				m.Content = "lunch"
				return nil
			})
			return err
		}, []string{"lunch", "the red car"}, []string{"the red car"}},
		"purged": {func(ctx context.Context, s store.Scoped) error {
			return s.Purge(ctx, []hippo.ID{idOf(1)})
		}, []string{"the red car"}, []string{"the red car"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &interrupted{Backend: newPersistent()}
			f := open(t, options{backend: b, tokens: &embedtest.Tokens{}})
			f.put(turn(1, "", "car"), turn(2, "", "the red car"))
			other := store.New(b, nil).In(f.Scope)
			b.mu.Lock()
			b.next = func() {
				if err := c.change(t.Context(), other); err != nil {
					t.Error(err)
				}
			}
			b.mu.Unlock()
			q := hippo.Query{Text: "car", NoTouch: true, Detail: hippo.Detail{Explain: true}}
			a := f.search(q)
			got := contents(a)
			slices.Sort(got)
			if d := cmp.Diff(c.now, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			for _, h := range a.Hits { // of the text that the index knows
				if x := h.Explanation.Features[rank.MaxSim.String()]; x != 1 {
					t.Errorf("%q has a similarity of %v, want 1", h.Memory.Content, x)
				}
			}
			f.wantOrder(q, c.then...)
			if name == "changed" {
				f.wantOrder(hippo.Query{Text: "lunch"}, "lunch")
			}
		})
	}
}

func TestSearch_WhileMemoriesChange(t *testing.T) {
	t.Parallel()
	f := openReranking(t)
	for n := range 20 {
		f.put(turn(n+1, "s", fmt.Sprint("car number", n)))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 20 {
				text := fmt.Sprint("car changed", i)
				if _, err := memory.Modify(t.Context(), f.Memories, idOf(g+1), api.Change{Content: &text}); err != nil {
					t.Error(err)
				}
				if a, err := query.Search(t.Context(), f.Memories, hippo.Query{Text: "car changed", Count: 100, Detail: hippo.Detail{Each: true}}); err != nil || a.Total != 20 {
					t.Errorf("got %+v (%v)", a, err)
				}
			}
		})
	}
	wg.Wait()
}
