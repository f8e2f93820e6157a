package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// What is asked of entities, and the answers. An entity is named by its name, an alias, a short form of a name that no other has,
// or an ID.
type (
	// Entity is a person, a project, a file: something that insights are about.
	Entity = engine.Entity
	// EntityQuery asks for entities.
	EntityQuery = engine.EntityQuery
	// EntityList is a page of entities.
	EntityList = engine.EntityList
	// EntityChange is what to change of an entity; nil fields stay.
	EntityChange = engine.EntityChange
	// EntityMoved is what a merge or a split has done.
	EntityMoved = engine.EntityMoved
	// EntityPageQuery asks for what is known of an entity.
	EntityPageQuery = engine.EntityPageQuery
	// EntityPage is what is known of an entity.
	EntityPage = engine.EntityPage
	// EntitySplit says that an entity is two.
	EntitySplit = engine.EntitySplit
)

// AddEntity records an entity in the current project. A name that another one has is [hippo.ErrConflict].
func AddEntity(ctx context.Context, c *Client, e hippo.Entity) (*Entity, error) {
	return engine.AddEntity(ctx, c.memories, engine.EntityDraft{Entity: e})
}

// FindEntity returns the entity that a name means: a recorded one, or else one that texts name. Several are a
// [*hippo.AmbiguousError], none is [hippo.ErrNotFound].
func FindEntity(ctx context.Context, c *Client, name string) (*Entity, error) {
	return engine.FindEntity(ctx, c.memories, name)
}

// ShowEntity returns what is known of an entity: facts, relations, what names it, a timeline. Errors: those of [FindEntity].
func ShowEntity(ctx context.Context, c *Client, q EntityPageQuery) (*EntityPage, error) {
	return engine.ShowEntity(ctx, c.memories, q)
}

// ListEntities returns a page of entities.
func ListEntities(ctx context.Context, c *Client, q EntityQuery) (*EntityList, error) {
	return engine.ListEntities(ctx, c.memories, q)
}

// ModifyEntity changes an entity; one that has no record gets one. Errors: those of [AddEntity] and [FindEntity].
func ModifyEntity(ctx context.Context, c *Client, change EntityChange) (*Entity, error) {
	return engine.ModifyEntity(ctx, c.memories, change)
}

// MergeEntities merges an entity into another one, as an operation: its names become aliases, its relations move, and it is
// forgotten. An entity and itself, and two of different projects, are [hippo.ErrInvalid].
func MergeEntities(ctx context.Context, c *Client, from, into string) (*EntityMoved, error) {
	return engine.MergeEntities(ctx, c.memories, engine.EntityMerge{From: from, Into: into})
}

// SplitEntity takes a new entity out of another one, as an operation.
func SplitEntity(ctx context.Context, c *Client, q EntitySplit) (*EntityMoved, error) {
	return engine.SplitEntity(ctx, c.memories, q)
}

// RemoveEntity forgets an entity. One that has no record gets one which says that the name is no entity.
func RemoveEntity(ctx context.Context, c *Client, name string) (*Entity, error) {
	return engine.RemoveEntity(ctx, c.memories, engine.EntityRemoval{Entity: name})
}

// ResolveNamed is [Client.Resolve] for references that may also be the name of a recorded entity.
func ResolveNamed(ctx context.Context, c *Client, ref string) (hippo.ID, error) {
	return engine.ResolveNamed(ctx, c.memories, ref, engine.PreferLive)
}
