package client

import (
	"context"

	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
)

// Horizon decides what a consolidation does, and the ages of the insights that it acts on: daily, weekly, monthly,
// quarterly or yearly. See docs/consolidation.md.
type Horizon = consolidate.Horizon

// Consolidation is what a consolidation did, or proposes.
type Consolidation = engine.Consolidation

// Consolidate links near-duplicates, summarises and archives, as one operation that [Undo] undoes. A dry run
// proposes and changes nothing.
func Consolidate(ctx context.Context, c *Client, h Horizon, dryRun bool) (*Consolidation, error) {
	return engine.Consolidate(ctx, c.memories, engine.ConsolidateOptions{Horizon: h, DryRun: dryRun})
}

// ClusterList is what the insights are about: topics, and the groups that they consist of.
type ClusterList = engine.Clusters

// Cluster is a topic or a group: words that distinguish it, and its insights, the most central first.
type Cluster = consolidate.Cluster

// Clusters computes the clusters of the insights that the client sees. It changes nothing.
func Clusters(ctx context.Context, c *Client) (*ClusterList, error) {
	return engine.ClustersOf(ctx, c.memories)
}
