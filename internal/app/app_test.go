package app_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

func stores(t *testing.T) map[string]config.Config {
	t.Helper()
	dir := t.TempDir()
	return map[string]config.Config{
		"sqlite": {Store: config.Store{Kind: "sqlite", Path: filepath.Join(dir, "memory.db")}},
		"dir":    {Store: config.Store{Kind: "dir", Path: filepath.Join(dir, "memories")}},
	}
}

// A second process finds what the first recorded, and the file of its index.
func TestOpen_Again(t *testing.T) {
	t.Parallel()
	for kind, c := range stores(t) {
		for i := range 2 {
			e, err := app.Open(t.Context(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				for n := range 100 {
					if _, err := memory.Record(t.Context(), local(e), &hippo.Memory{Content: fmt.Sprintf("found again %d", n)}); err != nil {
						t.Fatal(err)
					}
				}
			}
			a, err := query.Search(t.Context(), local(e), hippo.Query{Text: "again"})
			if err != nil || a.Total != 100 {
				t.Errorf("%s: got %+v (%v), want 100", kind, a, err)
			}
			if st, err := memory.Status(t.Context(), local(e)); err != nil || i == 1 && st.Store.Saved == 0 {
				t.Errorf("%s: the index was not saved: %+v (%v)", kind, st, err)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Two open stores on the same data see each other's writes at the next search.
func TestOpen_Shared(t *testing.T) {
	t.Parallel()
	for kind, c := range stores(t) {
		one, err := app.Open(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		two, err := app.Open(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := memory.Record(t.Context(), local(one), &hippo.Memory{Content: "told by one"})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := query.Search(t.Context(), local(two), hippo.Query{Text: "told"}); err != nil || a.Total != 1 {
			t.Errorf("%s: two does not see the record: %+v (%v)", kind, a, err)
		}
		if _, err := memory.Forget(t.Context(), local(two), []hippo.ID{m.ID}); err != nil {
			t.Fatal(err)
		}
		if a, err := query.Search(t.Context(), local(one), hippo.Query{Text: "told"}); err != nil || a.Total != 0 {
			t.Errorf("%s: one does not see that it was forgotten: %+v (%v)", kind, a, err)
		}
		if err := errors.Join(one.Close(), two.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestOpener_TriesAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	if err := os.WriteFile(path, []byte("this is not a database, it is a text of some length"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := app.NewOpener(config.Config{Store: config.Store{Kind: "sqlite", Path: path}}, nil)
	if _, err := p.Engine(t.Context()); !errors.Is(err, hippo.ErrCorrupt) {
		t.Fatalf("got %v, want corrupt", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	first, err := p.Engine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if e, err := p.Engine(t.Context()); err != nil || e != first {
				t.Errorf("got another engine (%v)", err)
			}
		})
	}
	wg.Wait()
	for range 2 {
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Engine(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("got %v after Close, want unavailable", err)
	}
}

// A kind of store that is not known is refused, and is not taken for another.
func TestOpen_UnknownKind(t *testing.T) {
	t.Parallel()
	c := config.Config{Store: config.Store{Kind: "oracle", Path: filepath.Join(t.TempDir(), "x")}}
	if e, err := app.Open(t.Context(), c, nil); !errors.Is(err, hippo.ErrUnsupported) {
		t.Errorf("got %v, %v, want unsupported", e, err)
	}
	if _, err := os.Stat(c.Store.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a file (%v)", err)
	}
}
