package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// AddEntity records an entity in the current project. A name that another one has is [hippo.ErrConflict].
func AddEntity(ctx context.Context, c *Client, e hippo.Entity) (*api.Entity, error) {
	return engine.AddEntity(ctx, c.memories, engine.EntityDraft{Entity: e})
}

// FindEntity returns the entity that a name means: a recorded one, or else one that texts name. Several are a
// [*hippo.AmbiguousError], none is [hippo.ErrNotFound].
func FindEntity(ctx context.Context, c *Client, name string) (*api.Entity, error) {
	return engine.FindEntity(ctx, c.memories, name)
}

// ShowEntity returns what is known of an entity: facts, relations, what names it, a timeline. Errors: those of [FindEntity].
func ShowEntity(ctx context.Context, c *Client, q api.ShowEntity) (*api.EntityPage, error) {
	return engine.ShowEntity(ctx, c.memories, q)
}

// ListEntities returns a page of entities.
func ListEntities(ctx context.Context, c *Client, q api.ListEntities) (*api.EntityList, error) {
	return engine.ListEntities(ctx, c.memories, q)
}

// ModifyEntity changes an entity; one that has no record gets one. Errors: those of [AddEntity] and [FindEntity].
func ModifyEntity(ctx context.Context, c *Client, change api.ModifyEntity) (*api.Entity, error) {
	return engine.ModifyEntity(ctx, c.memories, change)
}

// MergeEntities merges an entity into another one, as an operation: its names become aliases, its relations move, and it is
// forgotten. An entity and itself, and two of different projects, are [hippo.ErrInvalid].
func MergeEntities(ctx context.Context, c *Client, from, into string) (*api.EntityMoved, error) {
	return engine.MergeEntities(ctx, c.memories, api.MergeEntities{From: from, Into: into})
}

// SplitEntity takes a new entity out of another one, as an operation.
func SplitEntity(ctx context.Context, c *Client, q api.SplitEntity) (*api.EntityMoved, error) {
	return engine.SplitEntity(ctx, c.memories, q)
}

// RemoveEntity forgets an entity. One that has no record gets one which says that the name is no entity.
func RemoveEntity(ctx context.Context, c *Client, name string) (*api.Entity, error) {
	return engine.RemoveEntity(ctx, c.memories, engine.EntityRemoval{Entity: name})
}

// ResolveNamed is [Client.Resolve] for references that may also be the name of a recorded entity.
func ResolveNamed(ctx context.Context, c *Client, ref string) (hippo.ID, error) {
	return engine.ResolveNamed(ctx, c.memories, ref, api.PreferLive)
}
