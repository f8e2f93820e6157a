package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
)

// AddEntity records an entity in the current project. A name that another one has is [hippo.ErrConflict].
func (c *Client) AddEntity(ctx context.Context, e hippo.Entity) (*api.Entity, error) {
	return knowledge.AddEntity(ctx, c.memories, knowledge.EntityDraft{Entity: e})
}

// FindEntity returns the entity that a name means: a recorded one, or else one that texts name. Several are a
// [*hippo.AmbiguousError], none is [hippo.ErrNotFound].
func (c *Client) FindEntity(ctx context.Context, name string) (*api.Entity, error) {
	return knowledge.FindEntity(ctx, c.memories, name)
}

// ShowEntity returns everything known about an entity: facts, relations, memories that mention it, a timeline. Errors: those of
// [Client.FindEntity].
func (c *Client) ShowEntity(ctx context.Context, q api.ShowEntity) (*api.EntityPage, error) {
	return knowledge.ShowEntity(ctx, c.memories, q)
}

// ListEntities returns a page of entities.
func (c *Client) ListEntities(ctx context.Context, q api.ListEntities) (*api.EntityList, error) {
	return knowledge.ListEntities(ctx, c.memories, q)
}

// ModifyEntity changes an entity; one that has no record gets one. Errors: those of [Client.AddEntity] and
// [Client.FindEntity].
func (c *Client) ModifyEntity(ctx context.Context, m api.ModifyEntity) (*api.Entity, error) {
	return knowledge.ModifyEntity(ctx, c.memories, m)
}

// MergeEntities merges an entity into another one, as an operation: its names become aliases, its relations move, and it is
// forgotten. An entity and itself, and two of different projects, are [hippo.ErrInvalid].
func (c *Client) MergeEntities(ctx context.Context, m api.MergeEntities) (*api.EntityMoved, error) {
	return knowledge.MergeEntities(ctx, c.memories, m)
}

// SplitEntity takes a new entity out of another one, as an operation.
func (c *Client) SplitEntity(ctx context.Context, s api.SplitEntity) (*api.EntityMoved, error) {
	return knowledge.SplitEntity(ctx, c.memories, s)
}

// RemoveEntity forgets an entity. One that has no record gets one which says that the name is no entity.
func (c *Client) RemoveEntity(ctx context.Context, name string) (*api.Entity, error) {
	return knowledge.RemoveEntity(ctx, c.memories, knowledge.EntityRemoval{Entity: name})
}
