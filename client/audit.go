package client

import (
	"context"

	"github.com/hippo-memory/hippo/internal/engine"
)

// AuditOptions say which projects an audit looks at, when an insight is idle, and how many findings it lists.
type AuditOptions = engine.AuditOptions

// AuditReport is what an audit found.
type AuditReport = engine.AuditReport

// Audit looks for stale, contradictory, repeated and unused insights, and proposes what to do about each. It changes
// nothing. See docs/consolidation.md.
func Audit(ctx context.Context, c *Client, o AuditOptions) (*AuditReport, error) {
	return engine.Audit(ctx, c.memories, o)
}
