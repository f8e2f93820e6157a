package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
)

// Relate declares relations between insights, each in place of those with its From, To and Kind that hold at the same time; all
// or none. A search that finds one of two related insights then also finds the other, or ranks it slightly higher. Those of
// [hippo.SingleKinds] end the older one of the same insight. Unknown insights are a [*hippo.UnknownError].
func (c *Client) Relate(ctx context.Context, rs ...hippo.Relation) (*api.Related, error) {
	return knowledge.Relate(ctx, c.memories, rs)
}

// EndRelations ends relations, all or none, and returns them as stored. One that does not exist is
// [hippo.ErrNotFound], one that ended before [hippo.ErrConflict], one that begins later [hippo.ErrInvalid].
func (c *Client) EndRelations(ctx context.Context, e api.EndRelations) ([]hippo.Relation, error) {
	return knowledge.EndRelations(ctx, c.memories, e)
}

// Unrelate removes all periods of relations by From, To and Kind, or the one that begins at ValidFrom; learned ones too. Those that do not exist are
// [hippo.ErrNotFound], after the others were removed.
func (c *Client) Unrelate(ctx context.Context, rs ...hippo.Relation) error {
	return knowledge.Unrelate(ctx, c.memories, rs)
}

// Relations returns the relations at either end of insights, at most 100 of each, the strongest, with
// their weights of now. Unknown IDs are a [*hippo.UnknownError].
func (c *Client) Relations(ctx context.Context, q api.Relations) ([]hippo.Relation, error) {
	return knowledge.ListRelations(ctx, c.memories, q)
}

// Neighbours returns the insights within a number of relations of an insight. An unknown ID is a
// [*hippo.UnknownError].
func (c *Client) Neighbours(ctx context.Context, q api.Neighbours) (*api.Subgraph, error) {
	return knowledge.Neighbours(ctx, c.memories, q)
}

// Paths returns the shortest paths between two insights. Unknown IDs are a [*hippo.UnknownError].
func (c *Client) Paths(ctx context.Context, q api.Paths) (*api.PathList, error) {
	return knowledge.Paths(ctx, c.memories, q)
}

// Communities groups the insights of the scope by their relations.
func (c *Client) Communities(ctx context.Context, q api.Communities) (*api.CommunityList, error) {
	return knowledge.Communities(ctx, c.memories, q)
}
