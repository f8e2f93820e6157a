package engine

import (
	"context"

	"github.com/hippo-memory/hippo"
)

// Record stores a new memory and returns when it is durable. It sets ID, times,
// hash, day, first access and, where the caller left them empty, source kind
// and trust. Importance.Base is the importance; the other fields of Importance
// are derived from it.
//
// It takes the place of those in supersedes, see [store.Store.AddInstead]: with one
// that is unknown or superseded already nothing is recorded.
func (e *Engine) Record(ctx context.Context, m *hippo.Memory, supersedes ...hippo.ID) (*hippo.Memory, error) {
	if m.Source.Kind == "" {
		m.Source.Kind = hippo.SourceAgent
	}
	if m.Trust == hippo.TrustNone {
		m.Trust = hippo.DefaultTrust(m.Source.Kind)
	}
	if len(supersedes) > 0 {
		return e.instead(ctx, m, supersedes)
	}
	if err := e.store.Add(ctx, m); err != nil {
		return nil, err
	}
	return m, nil
}
