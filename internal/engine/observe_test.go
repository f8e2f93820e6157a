package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// newLocal returns an engine of this process, whatever the other tests run on.
func newLocal(t *testing.T) *engine.Engine {
	t.Helper()
	s := store.New(memstore.New(nil), nil)
	x, err := index.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Config{Store: s, Index: x})
	t.Cleanup(func() { _ = e.Close() })
	return e
}

type innerKey struct{}

// An observer hears of each verb of a caller once, with its error, of one that another one calls inside of that, and of nothing else.
func TestObserved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var heard []string
	m := engine.Observed(newLocal(t), func(ctx context.Context, verb string) (context.Context, func(error)) {
		if ctx.Value(innerKey{}) != nil {
			verb = "inside: " + verb
		}
		return context.WithValue(ctx, innerKey{}, true), func(err error) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, verb+" "+string(hippo.CodeOf(err)))
		}
	}).In(hippo.LocalScope(""))
	ctx := t.Context()
	r, _, err := memory.RecordCompared(ctx, m, &hippo.Memory{Content: "a text", Importance: hippo.Importance{Base: .5}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = query.Search(ctx, m, hippo.Query{Text: "text"})
	_, getErr := memory.Get(ctx, m, []hippo.ID{{1}})
	_, modifyErr := memory.Status(ctx, m)
	if _, x := memory.Forget(ctx, m, []hippo.ID{r.ID}); errors.Join(err, modifyErr, x) != nil || getErr == nil {
		t.Fatal(err, getErr, modifyErr, x)
	}
	want := []string{"record ok", "search ok", "get not_found", "status ok", "forget ok"}
	if d := cmp.Diff(want, slices.DeleteFunc(heard, func(s string) bool { return s == "inside: compare ok" })); d != "" {
		t.Error(d)
	}
}

func TestEngine_Figures(t *testing.T) {
	t.Parallel()
	e := newLocal(t)
	for _, namespace := range []string{"", "other"} {
		scope := hippo.LocalScope("")
		scope.Namespace = namespace
		m := e.In(scope)
		for _, text := range []string{"one text", "another text"} {
			r, err := memory.Record(t.Context(), m, &hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}})
			if err != nil {
				t.Fatal(err)
			}
			if text == "one text" {
				if _, err := memory.Forget(t.Context(), m, []hippo.ID{r.ID}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := query.Search(t.Context(), m, hippo.Query{Text: "text"}); err != nil {
			t.Fatal(err)
		}
	}
	f, err := e.Figures(t.Context())
	if err != nil || f.Index.Memories != 2 || f.Index.Forgotten != 2 || f.Revision != f.Index.Revision || f.Index.Segments == 0 || f.LostAccesses != 0 {
		t.Errorf("got %+v, %v", f, err)
	}
}

// Of the verbs that change memories, an observer hears of all but the steps of an import and what is written behind.
func TestObserved_HearsOfChanges(t *testing.T) {
	t.Parallel()
	var silent []string
	for _, verb := range verbNames() {
		if engine.Changes(verb) && engine.PublicName(verb) == "" {
			silent = append(silent, verb)
		}
	}
	if want := []string{"import_batch", "import_history", "import_relations", "index_imported", "opened", "rescore", "withdraw"}; !slices.Equal(silent, want) {
		t.Errorf("not observed: %q, want %q", silent, want)
	}
}
