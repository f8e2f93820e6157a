package engine

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// Figures are counts of all scopes together, for whoever runs the server.
type Figures struct {
	Index index.Stats
	// Revision is that of the store; the index lags behind it by their difference.
	Revision hippo.Revision
	// Queues are the memories that wait for a vector, by model, the preferred one first.
	Queues []embedding.Queue
	// LostAccesses counts the accesses that could not be stored and were given up; PendingAccesses those that wait.
	LostAccesses, PendingAccesses int
}

// Figures returns the counts of this process. It brings nothing up to date. Cost: a pass over bit sets, and one read of
// the store. If another process has the store open, it is [hippo.ErrUnsupported].
func (e *Engine) Figures(ctx context.Context) (Figures, error) {
	if e.Remote != nil {
		return Figures{}, fmt.Errorf("%w: figures of a store that another process has open", hippo.ErrUnsupported)
	}
	h, err := e.Store.Head(ctx)
	if err != nil {
		return Figures{}, err
	}
	out := Figures{Index: e.Index.Stats(), Revision: h.Revision, Queues: embedding.Queues(e.Embedding)}
	out.LostAccesses, out.PendingAccesses = e.Accesses.Unstored()
	return out, nil
}
