package engine

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Record stores a new memory and returns when it is durable. It sets ID, times, hash, day,
// first access and, where the caller left it empty, the kind of source; Trust
// [hippo.TrustDefault] becomes the trust of that source. Importance.Base is the importance; the
// other fields of Importance are derived from it. An ID that is given and in use is
// [hippo.ErrConflict].
//
// It supersedes the memories in supersedes, in the same transaction: each ends when the new one
// begins. With one that is unknown, or superseded already, nothing is recorded.
func (m *Memories) Record(ctx context.Context, r *hippo.Memory, supersedes ...hippo.ID) (*hippo.Memory, error) {
	if r.Source.Kind == "" {
		r.Source.Kind = hippo.SourceAgent
	}
	if kinds := hippo.SourceKinds(); !slices.Contains(kinds, r.Source.Kind) {
		return nil, hippo.Fieldf("Source.Kind", "must be one of %v, got %q", kinds, r.Source.Kind)
	}
	if r.Trust == hippo.TrustDefault {
		r.Trust = hippo.DefaultTrust(r.Source.Kind)
	}
	if len(supersedes) == 0 {
		if err := m.scoped.Add(ctx, r); err != nil {
			return nil, err
		}
		return r, nil
	}
	old, err := someIDs("Supersedes", supersedes)
	if err != nil {
		return nil, err
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	if _, err := m.scoped.AddInstead(ctx, r, old); err != nil {
		return nil, err
	}
	return r, nil
}
