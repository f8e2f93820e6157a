package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// node returns the memories of a namespace on a machine of its own, with its caches, a time zone and a clock.
func node(t *testing.T, url, zone string, now func() time.Time) *engine.Memories {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("TZ", zone)
	all := app.NewTenants(config.Config{Store: databaseOf(t, url), Model: config.Model{Name: config.Static}}, &app.Options{Now: now, Log: slog.New(slog.DiscardHandler)}, nil, 0)
	t.Cleanup(func() {
		if err := all.Shut(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	e, err := all.Of(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	return e.In(hippo.Scope{Namespace: "x", Rights: hippo.AllRights})
}

// A search sees every write that was acknowledged before it began, on whatever node: records, changes, and memories that were forgotten.
func TestNodes_Search(t *testing.T) {
	url := pgtest.URL(t)
	now := func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }
	nodes := [2]*engine.Memories{node(t, url, "UTC", now), node(t, url, "UTC", now)}
	wants := func(round int, m *engine.Memories, text string, want int) {
		t.Helper()
		a, err := query.Search(t.Context(), m, hippo.Query{Text: text, Ranker: hippo.RankerBM25})
		if err != nil || a.Total != want {
			t.Fatalf("round %d: %d hits (%v), want %d", round, a.Total, err, want)
		}
	}
	rounds := 100
	if testing.Short() {
		rounds = 30
	}
	for round := range rounds {
		writer, reader := nodes[round%2], nodes[1-round%2]
		text, changed := fmt.Sprintf("quokka%d", round), fmt.Sprintf("numbat%d", round)
		m, err := memory.Record(t.Context(), writer, &hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}})
		if err != nil {
			t.Fatal(err)
		}
		wants(round, reader, text, 1)
		if _, err := memory.Modify(t.Context(), reader, m.ID, api.Change{Content: &changed}); err != nil {
			t.Fatal(err)
		}
		wants(round, writer, text, 0)
		wants(round, writer, changed, 1)
		if _, err := memory.Forget(t.Context(), writer, []hippo.ID{m.ID}); err != nil {
			t.Fatal(err)
		}
		wants(round, reader, changed, 0)
	}
}

// Nodes in two time zones that open a namespace before its first day count its days in one zone: each begins once.
func TestNodes_Zones(t *testing.T) {
	url := pgtest.URL(t)
	at := &atomic.Int64{}
	now := func() time.Time { return time.Unix(0, at.Load()).UTC() }
	const days = 5
	begin := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC) // the 2nd in Tokyo
	at.Store(begin.UnixNano())
	nodes := [2]*engine.Memories{node(t, url, "America/New_York", now), node(t, url, "Asia/Tokyo", now)}
	for hour := range 24 * days {
		at.Store(begin.Add(time.Duration(hour) * time.Hour).UnixNano())
		local := now().In(nodes[0].Store.Zone())
		for i := range nodes {
			m := nodes[(i+hour)%2]
			if _, err := query.Search(t.Context(), m, hippo.Query{Text: "a"}); err != nil {
				t.Fatal(err)
			}
			h, err := m.Store.Head(t.Context())
			if c := h.Calendar; err != nil || c.Zone != "America/New_York" || c.Date != local.Format(time.DateOnly) {
				t.Fatalf("at %v a node has %+v (%v), want %s", now(), c, err, local)
			}
		}
	}
	h, err := nodes[1].Store.Head(t.Context())
	if err != nil || h.Calendar.Day != days+1 {
		t.Errorf("after %d days: %+v (%v)", days, h.Calendar, err)
	}
}

// embedder is a node with a model that works in the background.
type embedder struct {
	*engine.Memories
	model *embedtest.Words
	close func() error
}

func newEmbedder(t *testing.T, url string) *embedder {
	t.Helper()
	db, err := pgstore.OpenDB(t.Context(), url, &pgstore.DBOptions{Wait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := pgstore.Open(t.Context(), db, "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	n := &embedder{model: embedtest.NewWords("slow")}
	e := enginetest.New(t, &enginetest.Options{Backend: b, Config: engine.Config{Models: []embedding.Model{{Embedder: n.model}}}})
	n.close = sync.OnceValue(func() error {
		defer db.Close()
		return e.Close()
	})
	t.Cleanup(func() { _ = n.close() })
	n.Memories = e.In(hippo.Scope{Namespace: "x", Rights: hippo.AllRights})
	return n
}

// stored returns how many vectors the store has, after it has asked the node to embed.
func (n *embedder) stored(t *testing.T) (vectors int) {
	t.Helper()
	if _, err := query.Search(t.Context(), n.Memories, hippo.Query{Text: "note"}); err != nil {
		t.Fatal(err)
	}
	models, err := n.Store.Vectors().Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		vectors += m.Count
	}
	return vectors
}

// One node embeds. Another one does when that is closed, or its lease has ended because it lost its connections, and each memory once.
func TestNodes_Embedding(t *testing.T) {
	t.Parallel()
	const notes = 30
	for _, end := range []string{"closed", "cut"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			url := pgtest.URL(t)
			var cut atomic.Bool
			first := newEmbedder(t, pgtest.Proxy(t, url, func(bool) pgtest.Fault {
				if cut.Load() {
					return pgtest.CutBefore
				}
				return pgtest.Pass
			}))
			second := newEmbedder(t, url)
			first.model.Block()
			for i := range notes {
				if _, err := memory.Record(t.Context(), first.Memories, &hippo.Memory{Content: fmt.Sprintf("note number%03d", i), Importance: hippo.Importance{Base: .5}}); err != nil {
					t.Fatal(err)
				}
			}
			until(t, "the first node embeds", func() bool { return first.stored(t) == 0 && len(first.model.Passages()) > 0 })
			for range 3 {
				second.stored(t)
				time.Sleep(500 * time.Millisecond)
			}
			if n := len(second.model.Passages()); n > 0 {
				t.Fatalf("the second node embedded %d notes, which the first one has the lease for", n)
			}
			if end == "cut" {
				cut.Store(true)
				pgtest.Exec(t, url, "UPDATE hippo.lease SET until = now()") // half a minute is over
			} else if err := first.close(); err != nil {
				t.Error(err)
			}
			until(t, "the second node has embedded all", func() bool { return second.stored(t) == notes })
			texts := second.model.Passages()
			slices.Sort(texts)
			if n := len(slices.Compact(slices.Clone(texts))); n != len(texts) || n != notes {
				t.Errorf("%d texts were embedded, %d different ones, want %d", len(texts), n, notes)
			}
		})
	}
}

// until waits for something.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not within half a minute: " + what)
		}
	}
}
