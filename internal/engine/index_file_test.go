package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

// verbs are all verbs that read the index, by name.
func verbs() map[string]func(context.Context, *engine.Memories) error {
	return map[string]func(context.Context, *engine.Memories) error{
		"search": func(ctx context.Context, m *engine.Memories) error {
			_, err := query.Search(ctx, m, hippo.Query{Text: "number007", Situation: []string{"at work"}})
			return errors.Join(err, m.Flush(ctx))
		},
		"hybrid": func(ctx context.Context, m *engine.Memories) error {
			_, err := query.Search(ctx, m, hippo.Query{Text: "number007", Ranker: hippo.RankerHybrid})
			return err
		},
		"list": func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.List(ctx, m, api.List{})
			return err
		},
		"status": func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.Status(ctx, m)
			return err
		},
		"projects": func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.Projects(ctx, m)
			return err
		},
		"resolve": func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.Resolve(ctx, m, idOf(7).String()[:35], api.PreferLive)
			return err
		},
		"compare": func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.Compare(ctx, m, turn(7, "", "filler number007"))
			return err
		},
		"record": func(ctx context.Context, m *engine.Memories) error {
			_, err := memory.Record(ctx, m, &hippo.Memory{Content: "new"})
			m.Warm(ctx)
			return err
		},
		"modify": func(ctx context.Context, m *engine.Memories) error {
			text := "changed"
			_, err := memory.Modify(ctx, m, idOf(7), api.Change{Content: &text})
			m.Warm(ctx)
			return err
		},
		"embed": func(ctx context.Context, m *engine.Memories) error {
			return m.Embed(ctx, func(int, int) {})
		},
		"import": func(ctx context.Context, m *engine.Memories) error {
			_, err := imported(m, turn(900, "", "imported"))
			return err
		},
		"close": func(_ context.Context, m *engine.Memories) error { return m.Close() },
	}
}

// damages are what may happen to the file of the index while it is in use.
func damages() map[string]func(path string) error {
	return map[string]func(path string) error{
		"cut":     func(path string) error { return os.Truncate(path, 0) },
		"deleted": os.Remove,
		"overwritten": func(path string) error {
			file, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, bytes.Repeat([]byte{0xFF}, len(file)), 0o600))
		},
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+"2", []byte("something else"), 0o600), os.Rename(path+"2", path))
		},
	}
}

// Whatever happens to the file of the index under a running engine, and whichever verb meets it
// first: nothing crashes, at worst that verb fails with [hippo.ErrUnavailable], and the next
// search is right.
func TestIndexFile_DamagedUnderEachVerb(t *testing.T) {
	t.Parallel()
	for _, verb := range slices.Sorted(maps.Keys(verbs())) {
		for damage, do := range damages() {
			if faults := damage == "cut" || damage == "overwritten"; !faults && verb != "search" && verb != "close" {
				continue // what is mapped is what it was
			}
			t.Run(verb+"/"+damage, func(t *testing.T) {
				t.Parallel()
				path := indexPath(t)
				o := options{path: path, backend: newPersistent(), tokens: &embedtest.Tokens{}}
				again := func() *fixture {
					o.models = quickAndBest()
					return open(t, o)
				}
				again().fillStore()
				f := again()
				if err := do(path); err != nil {
					t.Fatal(err)
				}
				if err := verbs()[verb](t.Context(), f.Memories); err != nil && !errors.Is(err, hippo.ErrUnavailable) {
					t.Errorf("got %v", err)
				}
				f.end()
				f = again()
				f.wantOrder(hippo.Query{Text: "number008", Ranker: hippo.RankerBM25}, "filler number008")
				if s := f.status(); s.Memories < 300 {
					t.Errorf("%d memories are left of 300", s.Memories)
				}
			})
		}
	}
}

// quickAndBest returns a model that the index embeds with, and one that embeds in the background.
func quickAndBest() []embedding.Model {
	return []embedding.Model{instant(embedtest.NewWords("quick")), slow(embedtest.NewWords("best"))}
}

// fillStore leaves a store with 300 memories and the file of its index.
func (f *fixture) fillStore() {
	f.t.Helper()
	ms := make([]*hippo.Memory, 300)
	for i := range ms {
		ms[i] = turn(i, "", fmt.Sprintf("filler number%03d", i))
		ms[i].Situation, ms[i].Project = []string{"at work"}, "p"
	}
	f.put(ms...)
	f.search(hippo.Query{Text: "filler"})
	f.end()
}
