package client

import (
	"context"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Neighbours returns what is related to an insight, and what is related to that, to a depth. An unknown ID is a
// [*hippo.UnknownError].
func Neighbours(ctx context.Context, c *Client, q api.Neighbours) (*api.Subgraph, error) {
	return engine.Neighbours(ctx, c.memories, q)
}

// Paths returns the shortest paths between two insights. Unknown IDs are a [*hippo.UnknownError].
func Paths(ctx context.Context, c *Client, q api.Paths) (*api.PathList, error) {
	return engine.Paths(ctx, c.memories, q)
}

// Communities groups the insights of the scope by their relations.
func Communities(ctx context.Context, c *Client, q api.Communities) (*api.CommunityList, error) {
	return engine.Communities(ctx, c.memories, q)
}
