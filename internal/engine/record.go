package engine

import (
	"context"

	"github.com/hippo-memory/hippo"
)

// Record stores a new memory and returns when it is durable. It sets ID, times,
// hash, day, first access and, where the caller left them empty, source kind
// and trust. Importance.Base is the importance; the other fields of Importance
// are derived from it.
func (e *Engine) Record(ctx context.Context, m *hippo.Memory) (*hippo.Memory, error) {
	if m.Source.Kind == "" {
		m.Source.Kind = hippo.SourceAgent
	}
	if m.Trust == hippo.TrustNone {
		m.Trust = hippo.DefaultTrust(m.Source.Kind)
	}
	if err := e.store.Add(ctx, m); err != nil {
		return nil, err
	}
	return m, nil
}
