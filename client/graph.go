package client

import (
	"context"

	"github.com/hippo-memory/hippo/internal/engine"
)

// The questions about the graph of relations, and their answers.
type (
	// NeighbourQuery asks for what is near an insight.
	NeighbourQuery = engine.NeighbourQuery
	// PathQuery asks how two insights are connected.
	PathQuery = engine.PathQuery
	// GraphFilter says which relations a graph has.
	GraphFilter = engine.GraphFilter
	// Direction says along which end of relations a walk goes: both, out or in.
	Direction = engine.Direction
	// Subgraph is what a walk reached, and what it left out.
	Subgraph = engine.Subgraph
	// GraphBounds are what an answer leaves out.
	GraphBounds = engine.GraphBounds
	// PathList are the shortest paths between two insights.
	PathList = engine.PathList
	// CommunityQuery asks for groups of insights that are related to each other more than to others.
	CommunityQuery = engine.CommunityQuery
	// CommunityList are such groups, the largest first.
	CommunityList = engine.CommunityList
)

// MaxGraphNodes is the most insights that a walk reaches.
const MaxGraphNodes = engine.MaxNodes

// Neighbours returns what is related to an insight, and what is related to that, to a depth. An unknown ID is a
// [*hippo.UnknownError].
func Neighbours(ctx context.Context, c *Client, q NeighbourQuery) (*Subgraph, error) {
	return engine.Neighbours(ctx, c.memories, q)
}

// Paths returns the shortest paths between two insights. Unknown IDs are a [*hippo.UnknownError].
func Paths(ctx context.Context, c *Client, q PathQuery) (*PathList, error) {
	return engine.Paths(ctx, c.memories, q)
}

// Communities groups the insights of the scope by their relations.
func Communities(ctx context.Context, c *Client, q CommunityQuery) (*CommunityList, error) {
	return engine.Communities(ctx, c.memories, q)
}
