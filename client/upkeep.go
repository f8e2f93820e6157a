package client

import (
	"context"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
)

// Consolidate links near-duplicates, summarises and archives, as one operation that [Client.Undo] undoes. A dry run
// proposes and changes nothing.
func (c *Client) Consolidate(ctx context.Context, q api.Consolidate) (*api.Consolidation, error) {
	return upkeep.Consolidate(ctx, c.memories, upkeep.ConsolidateOptions{Horizon: q.Horizon, DryRun: q.DryRun})
}

// Clusters computes the clusters of the insights that the client sees. It changes nothing.
func (c *Client) Clusters(ctx context.Context) (*api.ClusterList, error) {
	return upkeep.ClustersOf(ctx, c.memories)
}

// Audit looks for stale, contradictory, repeated and unused insights, and proposes what to do about each. It changes
// nothing. See docs/consolidation.md.
func (c *Client) Audit(ctx context.Context, q api.Audit) (*api.AuditReport, error) {
	return upkeep.Audit(ctx, c.memories, q)
}

// Status returns the state of the memory. It changes nothing.
func (c *Client) Status(ctx context.Context) (*api.Status, error) {
	s, err := memory.Status(ctx, c.memories)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// Export yields every stored insight, including forgotten ones, in the order of their
// last change. One that cannot be read is an error, and the rest follows.
func (c *Client) Export(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	return transfer.New(c.memories).Export(ctx)
}

// Import adds insights as another store held them, with their IDs, times and votes, as one operation. Of those that are here
// it brings edits, votes and forgetting that are newer. Importing the same again changes nothing. What the report counts as added is durable, also if there is an error.
func (c *Client) Import(ctx context.Context, q api.Import) (api.ImportReport, error) {
	t := transfer.New(c.memories).Logged(transfer.Origin{Store: true})
	if q.BringBack {
		t = t.Again()
	}
	return t.Import(ctx, q.Calendar, q.Entries, nil)
}
