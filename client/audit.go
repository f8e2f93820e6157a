package client

import (
	"context"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Audit looks for stale, contradictory, repeated and unused insights, and proposes what to do about each. It changes
// nothing. See docs/consolidation.md.
func Audit(ctx context.Context, c *Client, o api.Audit) (*api.AuditReport, error) {
	return engine.Audit(ctx, c.memories, o)
}
