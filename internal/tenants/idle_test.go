package tenants_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
	"github.com/hippo-memory/hippo/internal/tenants"
)

// Engines that are open, have recorded, embedded and searched, and are idle then, have no goroutine. It counts those of the process: no
// other test may run beside it.
//
//nolint:paralleltest // see above
func TestPool_Idle(t *testing.T) {
	backends := map[string]func(t *testing.T) func(name string) (driver.Backend, error){
		"memory": func(*testing.T) func(string) (driver.Backend, error) {
			return func(string) (driver.Backend, error) { return memstore.New(nil), nil }
		},
		"postgres": func(t *testing.T) func(string) (driver.Backend, error) {
			t.Helper()
			db, err := pgstore.OpenDB(t.Context(), pgtest.URL(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(db.Close)
			if err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			return func(name string) (driver.Backend, error) { return pgstore.Open(t.Context(), db, name, nil) }
		},
	}
	for name, backend := range backends {
		t.Run(name, func(t *testing.T) { idle(t, backend(t)) })
	}
}

// idle opens one engine and 50 more on back ends, and compares the goroutines.
func idle(t *testing.T, backend func(name string) (driver.Backend, error)) {
	t.Helper()
	dir := t.TempDir()
	p := tenants.New(tenants.Config{
		Size: func(*engine.Engine) int64 { return 0 },
		Open: func(_ context.Context, name string) (*engine.Engine, error) {
			b, err := backend(name)
			if err != nil {
				return nil, err
			}
			models := []embedding.Model{{Embedder: embedtest.NewWords("slow")}, {Embedder: embedtest.NewWords("instant"), Instant: true}}
			return enginetest.New(t, &enginetest.Options{Config: engine.Config{Models: models}, Backend: b, Path: filepath.Join(dir, name)}), nil
		},
	})
	t.Cleanup(func() {
		if err := p.Shut(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	work(t, p, "first")
	before := settled(0)
	for i := range 50 {
		work(t, p, fmt.Sprint(i))
	}
	if after := settled(before); after > before {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines with 51 idle engines, %d with one:\n%s", after, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// work uses a namespace for a moment.
func work(t *testing.T, p *tenants.Pool, name string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e, err := p.Of(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	m := e.In(hippo.Scope{Namespace: name, Rights: hippo.AllRights})
	if _, err := memory.Record(ctx, m, &hippo.Memory{Content: "the cache of the proxy holds ten thousand pages", Importance: hippo.Importance{Base: .5}}); err != nil {
		t.Fatal(err)
	}
	if a, err := query.Search(ctx, m, hippo.Query{Text: "proxy cache"}); err != nil || len(a.Hits) != 1 {
		t.Fatalf("found %d (%v)", len(a.Hits), err)
	}
}

// settled returns the number of goroutines when it has not changed for some time, or is at most some number.
func settled(enough int) int {
	n := runtime.NumGoroutine()
	for quiet := 0; quiet < 10 && n > enough; quiet++ {
		time.Sleep(100 * time.Millisecond)
		if now := runtime.NumGoroutine(); now != n {
			n, quiet = now, 0
		}
	}
	return n
}
