package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// As returns a client of the same store whose changes say who made them and why; reason may be
// empty. Only one of the two clients is to be closed.
func As(c *Client, by hippo.Source, reason string) *Client {
	return &Client{memories: engine.As(c.memories, hippo.Operation{By: by, Reason: reason}), scope: c.scope, code: c.code}
}

// Operations returns a page of the operations that changed insights, the newest first; of one
// insight, unless id is zero. A count of 0 means [hippo.DefaultCount].
func Operations(ctx context.Context, c *Client, id hippo.ID, offset, count int) (*api.OperationPage, error) {
	return engine.Operations(ctx, c.memories, api.Operations{Memory: id, Offset: offset, Count: count})
}

// Versions returns what an insight was before each of the operations that changed it, the newest
// first.
func Versions(ctx context.Context, c *Client, id hippo.ID) ([]hippo.Version, error) {
	return engine.Versions(ctx, c.memories, api.Versions{Memory: id})
}

// ResolveOperation returns the ID of an operation by a short form, as [Client.Resolve] does for
// insights.
func ResolveOperation(ctx context.Context, c *Client, ref string) (hippo.ID, error) {
	return engine.ResolveOperation(ctx, c.memories, ref)
}

// Undo gives the insights that an operation changed their former values, all or none, and forgets
// those that it recorded. It is an operation, too. If one of them was changed since, the error is
// [hippo.ErrConflict] and names it and the later operation.
func Undo(ctx context.Context, c *Client, id hippo.ID) ([]*hippo.Memory, error) {
	return engine.Undo(ctx, c.memories, id)
}
