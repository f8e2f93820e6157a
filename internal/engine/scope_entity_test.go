package engine_test

import (
	"context"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// entityName draws a name: some are of memories and entities of others, some of nothing.
func entityName(r *rapid.T, what string) string {
	return rapid.SampledFrom([]string{"Zanzibar", "zanzibar", "Huber", "Ann", "Ann Huber", "zebra", "Nobody"}).Draw(r, what)
}

// drawEntity returns an entity for a memory that does not exist yet.
func (w *world) drawEntity(r *rapid.T) knowledge.EntityDraft {
	w.full.advance(0, 1e9)
	return knowledge.EntityDraft{
		ID:     w.newID(),
		Entity: hippo.Entity{Name: entityName(r, "name"), Aliases: rapid.SampledFrom([][]string{nil, {"Zebra"}}).Draw(r, "aliases")},
	}
}

func (w *world) othersAddEntity(r *rapid.T) {
	d := w.drawEntity(r)
	namespace := rapid.SampledFrom(append(namespaces(), w.scope.Namespace)).Draw(r, "namespace")
	project := rapid.SampledFrom(projects()).Draw(r, "project")
	w.namespaces[d.ID] = namespace
	w.byOthers(r, namespace, w.scope.Contains(namespace, project), func(x *engine.Memories) error {
		_, err := memory.Record(context.Background(), x, &hippo.Memory{
			ID: d.ID, Content: d.Content(), Type: hippo.EntityType, Project: project, CreatedAt: w.full.now(), Trust: hippo.TrustNormal,
			Importance: hippo.Importance{Base: .5}, Source: hippo.Source{Kind: hippo.SourceAgent},
		})
		return err
	})
}

func (w *world) changeEntities(r *rapid.T) {
	ctx := context.Background()
	d, name, other := w.drawEntity(r), entityName(r, "entity"), entityName(r, "other")
	w.namespaces[d.ID] = w.scope.Namespace
	needs := hippo.RightRead | hippo.RightWrite
	switch rapid.IntRange(0, 4).Draw(r, "change") {
	case 0:
		w.try(r, needs, func(x *engine.Memories) (any, error) { return knowledge.AddEntity(ctx, x, d) })
	case 1:
		c := api.ModifyEntity{Entity: name, Aliases: []string{other}, ID: d.ID}
		w.try(r, needs, func(x *engine.Memories) (any, error) { return knowledge.ModifyEntity(ctx, x, c) })
	case 2:
		q := api.MergeEntities{From: name, Into: other, ID: d.ID}
		w.try(r, needs, func(x *engine.Memories) (any, error) { return knowledge.MergeEntities(ctx, x, q) })
	case 3:
		q := api.SplitEntity{Entity: name, New: d.Entity, Related: w.someIDs(r), ID: d.ID}
		w.try(r, needs, func(x *engine.Memories) (any, error) { return knowledge.SplitEntity(ctx, x, q) })
	case 4:
		q := knowledge.EntityRemoval{Entity: name, ID: d.ID}
		w.try(r, needs, func(x *engine.Memories) (any, error) { return knowledge.RemoveEntity(ctx, x, q) })
	}
}

func (w *world) readEntities(r *rapid.T) {
	ctx, name := context.Background(), entityName(r, "entity")
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return knowledge.FindEntity(ctx, x, name) })
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
		return knowledge.ResolveNamed(ctx, x, name, api.PreferLive)
	})
	for _, at := range []hippo.Moment{{}, {KnownAt: w.full.now().AddDate(0, 0, -1)}} {
		w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
			return knowledge.ShowEntity(ctx, x, api.ShowEntity{Entity: name, At: at})
		})
	}
	for _, found := range []bool{false, true} {
		w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
			return knowledge.ListEntities(ctx, x, api.ListEntities{Found: found})
		})
	}
}
