package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// Get returns memories by ID, in the order of ids, forgotten ones included. Unknown IDs are a
// [*hippo.UnknownError]. It is not an access.
func (m *Memories) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	ids, err := someIDs("IDs", ids)
	if err != nil {
		return nil, err
	}
	return store.GetAll(ctx, m.scoped, ids)
}

// minPrefix is the minimum length of a prefix of an ID.
const minPrefix = 4

// Resolve resolves a reference to an ID: a UUID, or a prefix of at least 4 characters of a UUID
// or of a content hash. A prefix of several memories is [hippo.ErrInvalid], one of none
// [hippo.ErrNotFound]. Live memories are preferred to forgotten ones; with forgotten it is the
// other way round.
func (m *Memories) Resolve(ctx context.Context, ref string, forgotten bool) (hippo.ID, error) {
	if id, err := hippo.ParseID(ref); err == nil {
		return id, nil
	}
	if err := m.scoped.Allow(hippo.RightRead); err != nil {
		return hippo.ID{}, err
	}
	if len(ref) < minPrefix {
		return hippo.ID{}, hippo.Fieldf("ID", "must be a UUID or at least %d characters of one or of a content hash, got %q", minPrefix, ref)
	}
	var first, second []hippo.ID
	err := m.indexed(ctx, func() error {
		first, second = m.index.Lookup(&m.scope, strings.ToLower(ref))
		return nil
	})
	if err != nil {
		return hippo.ID{}, err
	}
	if forgotten && len(second) > 0 || len(first) == 0 {
		first = second
	}
	switch len(first) {
	case 0:
		return hippo.ID{}, fmt.Errorf("%w: no memory whose id or hash begins with %q", hippo.ErrNotFound, ref)
	case 1:
		return first[0], nil
	default:
		return hippo.ID{}, hippo.Fieldf("ID", "%q fits several memories: %v; give more characters", ref, first)
	}
}

// someIDs returns IDs without duplicates, if there are any and not too many.
func someIDs(field string, ids []hippo.ID) ([]hippo.ID, error) {
	ids = distinct(ids)
	if len(ids) == 0 || len(ids) > hippo.MaxIDs {
		return nil, hippo.Fieldf(field, "must have 1 to %d elements, got %d", hippo.MaxIDs, len(ids))
	}
	return ids, nil
}

func distinct(ids []hippo.ID) []hippo.ID {
	out := make([]hippo.ID, 0, len(ids))
	seen := make(map[hippo.ID]bool, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
