package app_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// migrated is a store of a migration, whose namespaces are opened by the program's own way.
type migrated struct {
	t *testing.T
	config.Config
}

func newMigrated(t *testing.T, url string) migrated {
	t.Helper()
	s, err := config.ParseStore(url)
	if err != nil {
		t.Fatal(err)
	}
	return migrated{t, config.Config{Store: s, Model: config.Model{Name: config.Static}}}
}

// in runs fn with a namespace.
func (m migrated) in(namespace string, fn func(*engine.Memories)) {
	m.t.Helper()
	c := m.Config
	c.Namespace = namespace
	e, err := app.Open(m.t.Context(), c, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	scope := hippo.LocalScope("")
	scope.Namespace = namespace
	fn(e.In(scope))
	if err := e.Close(); err != nil {
		m.t.Error(err)
	}
}

func (m migrated) record(mem *engine.Memories, content string) hippo.ID {
	m.t.Helper()
	r, err := memory.Record(m.t.Context(), mem, &hippo.Memory{Content: content, Situation: []string{"a test"}, Trust: hippo.TrustNormal, Importance: hippo.Importance{Base: .5, Value: .5}})
	if err != nil {
		m.t.Fatal(err)
	}
	return r.ID
}

// TestMigration: a namespace goes from a file to a database and to a folder with all that belongs to it, a run that was cut is completed,
// and what is changed meanwhile follows.
func TestMigration(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	file := newMigrated(t, "sqlite:"+filepath.Join(t.TempDir(), "memory.db"))
	database := newMigrated(t, pgtest.URL(t))
	folder := newMigrated(t, "dir:"+t.TempDir())
	var first, second, local hippo.ID
	for _, namespace := range []string{"", "team"} {
		file.in(namespace, func(m *engine.Memories) {
			first, second = file.record(m, "the gateway needs two replicas in "+namespace), file.record(m, "a cache answers within a millisecond")
			for i := range 550 {
				file.record(m, fmt.Sprintf("note number %d of namespace %s", i, namespace))
			}
			changeOnce(t, m, first)
			if namespace == "" {
				local = first
			}
			if _, err := knowledge.Relate(t.Context(), m, []hippo.Relation{{From: first, To: second, Kind: "explains", Weight: .5}}); err != nil {
				t.Fatal(err)
			}
		})
	}
	cut, cancel := context.WithCancel(t.Context())
	m := app.Migration{From: file.Config, To: database.Config, Progress: func(string, int, int) { cancel() }}
	if err := m.Run(cut, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("a run that is cut: %v", err)
	}
	there := run(t, file, database)
	if len(there) != 2 || there[0].Memories != 552 || there[0].Relations != 1 || there[0].Copied >= 552 {
		t.Errorf("after a cut: %+v, want two namespaces of 552, part of which was there", there)
	}
	back := run(t, database, folder)
	for i := range back {
		if back[i].Hash != there[i].Hash || back[i].Relations != 1 {
			t.Errorf("got %+v, want what was copied before, %+v", back[i], there[i])
		}
	}
	folder.in("team", func(m *engine.Memories) { wantWhole(t, m, first, second) })
	database.in("team", func(m *engine.Memories) { wantWhole(t, m, first, second) })
	database.in("team", func(m *engine.Memories) { database.record(m, "only the copy has this") })
	file.in("team", func(m *engine.Memories) {
		if err := memory.Purge(t.Context(), m, []hippo.ID{second}); err != nil {
			t.Fatal(err)
		}
	})
	again := run(t, file, database)
	if again[1].Memories != 551 || again[1].Copied != 0 || again[1].Relations != 0 {
		t.Errorf("after a purge: %+v, want one memory and its relation less", again[1])
	}
	database.in("team", func(m *engine.Memories) {
		if head, err := m.Store.Head(t.Context()); err != nil || head.Memories != 552 || head.Relations != 0 {
			t.Errorf("the copy has %+v (%v), want what the source has and its own memory", head, err)
		}
	})
	file.in("", func(m *engine.Memories) {
		list, err := knowledge.RelationsOf(t.Context(), m, []hippo.ID{local})
		if err == nil {
			err = knowledge.Unrelate(t.Context(), m, list)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if again := run(t, file, database); again[0].Relations != 0 {
		t.Errorf("after a relation was removed: %+v", again[0])
	}
	database.in("", func(m *engine.Memories) {
		if head, err := m.Store.Head(t.Context()); err != nil || head.Relations != 0 {
			t.Errorf("the copy has %+v (%v), want no relation", head, err)
		}
	})
}

// changeOnce makes a former version and a vote.
func changeOnce(t *testing.T, m *engine.Memories, id hippo.ID) {
	t.Helper()
	content := "the gateway needs three replicas"
	if _, err := memory.Modify(t.Context(), m, id, api.Change{Content: &content}); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Reinforce(t.Context(), m, []hippo.ID{id}, nil); err != nil {
		t.Fatal(err)
	}
}

// wantWhole checks that a memory has its former version, its vote and its relation.
func wantWhole(t *testing.T, m *engine.Memories, first, second hippo.ID) {
	t.Helper()
	ms, err := memory.Get(t.Context(), m, []hippo.ID{first})
	if err != nil || len(ms) != 1 || len(ms[0].Feedback) != 1 || ms[0].Version != 2 {
		t.Fatalf("got %+v (%v), want a second version with a vote", ms, err)
	}
	if vs, err := memory.Versions(t.Context(), m, api.Versions{Memory: first}); err != nil || len(vs) < 2 {
		t.Errorf("former versions are %+v (%v), want those of the change and of the vote", vs, err)
	}
	r, err := knowledge.RelationsOf(t.Context(), m, []hippo.ID{first})
	if err != nil || !slices.ContainsFunc(r, func(r hippo.Relation) bool { return r.To == second && r.Kind == "explains" && r.Weight == .5 }) {
		t.Errorf("relations are %+v (%v)", r, err)
	}
}

// run copies all namespaces.
func run(t *testing.T, from, to migrated) (all []app.Migrated) {
	t.Helper()
	m := app.Migration{From: from.Config, To: to.Config, Copied: func(x app.Migrated) { all = append(all, x) }}
	if err := m.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMigration_follow: what is recorded, changed and purged in the source after the copy follows.
func TestMigration_follow(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	file := newMigrated(t, "sqlite:"+filepath.Join(t.TempDir(), "memory.db"))
	database := newMigrated(t, pgtest.URL(t))
	var kept, gone hippo.ID
	file.in("", func(m *engine.Memories) { kept, gone = file.record(m, "kept"), file.record(m, "purged later") })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	copied, ended := make(chan bool), make(chan error)
	m := app.Migration{From: file.Config, To: database.Config, Follow: true, Copied: func(app.Migrated) { close(copied) }}
	go func() { ended <- m.Run(ctx, nil) }()
	<-copied
	file.in("", func(m *engine.Memories) {
		changeOnce(t, m, kept)
		file.record(m, "new")
		if err := memory.Purge(t.Context(), m, []hippo.ID{gone}); err != nil {
			t.Fatal(err)
		}
	})
	database.in("", func(m *engine.Memories) {
		for {
			ms, err := m.Store.In(m.Scope).Get(ctx, []hippo.ID{kept})
			head, _ := m.Store.Head(ctx)
			if err == nil && len(ms) == 1 && ms[0].Version == 2 && head.Memories == 2 {
				return
			}
			if ctx.Err() != nil {
				t.Fatalf("it does not follow: %+v (%v), %+v", ms, err, head)
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
