package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Operations returns a page of the operations that changed insights, the newest first.
func (c *Client) Operations(ctx context.Context, q api.Operations) (*api.OperationPage, error) {
	return memory.Operations(ctx, c.memories, q)
}

// Versions returns what an insight was before each of the operations that changed it, the newest
// first, or what the insights of an operation were before it.
func (c *Client) Versions(ctx context.Context, q api.Versions) ([]hippo.Version, error) {
	return memory.Versions(ctx, c.memories, q)
}

// ResolveOperation returns the ID of an operation by a short form, as [Client.Resolve] does for
// insights.
func (c *Client) ResolveOperation(ctx context.Context, ref string) (hippo.ID, error) {
	return memory.ResolveOperation(ctx, c.memories, ref)
}

// Undo gives the insights that an operation changed their former values, all or none, and forgets
// those that it recorded. An undo is itself an operation. If one of them was changed since, the error is
// [hippo.ErrConflict] and names it and the later operation.
func (c *Client) Undo(ctx context.Context, id hippo.ID) ([]*hippo.Memory, error) {
	return memory.Undo(ctx, c.memories, id)
}
