package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
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

// RecordCompared is [Memories.Record] and [Memories.Compare] at the same time: the search for
// similar memories takes place while the disk writes the new one. failed is the error of the
// comparison, err that of the record. At most two records that are running are compared and the
// comparison of others is skipped, because nobody reads hints on a bulk import.
func (m *Memories) RecordCompared(ctx context.Context, r *hippo.Memory, supersedes ...hippo.ID) (out *hippo.Memory, same *Comparison, failed, err error) {
	defer m.comparing.Add(-1)
	if m.comparing.Add(1) > maxComparing {
		out, err = m.Record(ctx, r, supersedes...)
		return out, &Comparison{Skipped: true}, nil, err
	}
	if len(supersedes) > 0 { // these are no longer similar ones afterwards
		if out, err = m.Record(ctx, r, supersedes...); err == nil {
			same, failed = m.Compare(ctx, out)
		}
		return out, same, failed, err
	}
	if err := store.Identify(r); err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	draft := r.Clone()
	var comparing sync.WaitGroup
	comparing.Go(func() { same, failed = m.Compare(ctx, draft) })
	if out, err = m.Record(ctx, r); err != nil {
		cancel()
	}
	comparing.Wait()
	if err == nil {
		m.index.Follow() // so that what comes next need not wait for it
	}
	return out, same, failed, err
}
