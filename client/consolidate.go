package client

import (
	"context"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Consolidate links near-duplicates, summarises and archives, as one operation that [Undo] undoes. A dry run
// proposes and changes nothing.
func Consolidate(ctx context.Context, c *Client, h api.Horizon, dryRun bool) (*api.Consolidation, error) {
	return engine.Consolidate(ctx, c.memories, engine.ConsolidateOptions{Horizon: h, DryRun: dryRun})
}

// Clusters computes the clusters of the insights that the client sees. It changes nothing.
func Clusters(ctx context.Context, c *Client) (*api.ClusterList, error) {
	return engine.ClustersOf(ctx, c.memories)
}
