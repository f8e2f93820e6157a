package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// delayed is a back end on which something happens before a transaction begins, once.
type delayed struct {
	driver.Backend
	mu   sync.Mutex
	next func()
}

func (*delayed) Close() error { return nil }

func (b *delayed) before(next func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = next
}

func (b *delayed) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	b.mu.Lock()
	next := b.next
	b.next = nil
	b.mu.Unlock()
	if next != nil {
		next()
	}
	return b.Backend.Write(ctx, d, fn)
}

// Between the check of a name and the write another process may take it.
func TestEntities_NamesThatAreTakenMeanwhile(t *testing.T) {
	t.Parallel()
	name := "Ana Petrova"
	for what, write := range map[string]func(ctx context.Context, m *engine.Memories) error{
		"add": func(ctx context.Context, m *engine.Memories) error {
			_, err := knowledge.AddEntity(ctx, m, knowledge.EntityDraft{Entity: hippo.Entity{Name: name}})
			return err
		},
		"modify": func(ctx context.Context, m *engine.Memories) error {
			_, err := knowledge.ModifyEntity(ctx, m, api.ModifyEntity{Entity: "Boris", Name: &name})
			return err
		},
		"split": func(ctx context.Context, m *engine.Memories) error {
			_, err := knowledge.SplitEntity(ctx, m, api.SplitEntity{Entity: "Boris", New: hippo.Entity{Name: name}})
			return err
		},
		"merge": func(ctx context.Context, m *engine.Memories) error {
			_, err := knowledge.MergeEntities(ctx, m, api.MergeEntities{From: "Boris", Into: name})
			return err
		},
		"merge into a recorded one": func(ctx context.Context, m *engine.Memories) error {
			_, err := knowledge.MergeEntities(ctx, m, api.MergeEntities{From: name, Into: "Boris"})
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			data := memstore.New(nil)
			slow := &delayed{Backend: data}
			f, other := open(t, options{backend: slow}), open(t, options{backend: persistent{data}})
			f.entity("Boris", "person")
			if strings.HasPrefix(what, "merge") {
				f.record("Ana Petrova wrote the parser", 0.5)
			}
			f.flush()
			slow.before(func() { other.entity("Ana Petrova", "person") })
			if err := write(t.Context(), f.Memories); !errors.Is(err, hippo.ErrConflict) {
				t.Errorf("a name that was taken meanwhile: %v", err)
			}
			list, err := knowledge.ListEntities(t.Context(), f.Memories, api.ListEntities{})
			if err != nil || len(list.Entities) != 2 {
				t.Fatalf("%d entities, %v, want 2", len(list.Entities), err)
			}
			if b, err := f.find("Boris"); err != nil || b.Name != "Boris" {
				t.Errorf("the other one: %+v, %v", b, err)
			}
		})
	}
}

// What others write meanwhile stops only what takes a name of theirs.
func TestAddEntity_WhileOthersAreWritten(t *testing.T) {
	t.Parallel()
	data := memstore.New(nil)
	slow := &delayed{Backend: data}
	f, other := open(t, options{backend: slow}), open(t, options{backend: persistent{data}})
	f.entity("Ana Petrova", "person")
	slow.before(func() {
		other.record("lunch is at noon", 0.5)
		forgotten := other.entity("Boris", "person")
		other.forget(forgotten)
		other.entity("Carla", "person")
	})
	f.entity("Boris", "place")
	if e, err := f.find("Boris"); err != nil || e.Kind != "place" {
		t.Errorf("a name that was freed meanwhile: %+v, %v", e, err)
	}
}
