package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Get returns memories by ID, in the order of ids, forgotten ones included.
// Unknown IDs are a [*hippo.UnknownError]. It is not an access.
func (e *Engine) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	ids, err := requireIDs(ids)
	if err != nil {
		return nil, err
	}
	ms, err := e.store.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(ms) == len(ids) {
		return ms, nil
	}
	found := make(map[hippo.ID]bool, len(ms))
	for _, m := range ms {
		found[m.ID] = true
	}
	unknown := &hippo.UnknownError{}
	for _, id := range ids {
		if !found[id] {
			unknown.IDs = append(unknown.IDs, id)
		}
	}
	if _, err := e.store.Get(ctx, unknown.IDs); err != nil { // they are there and cannot be read
		return nil, err
	}
	return nil, unknown
}

// minPrefix is the least number of characters that may stand for an ID.
const minPrefix = 4

// Resolve turns what a person types into an ID: a whole UUID, or the beginning
// of one, or of a content hash, at least 4 characters. A beginning that fits
// several memories is [hippo.ErrInvalid], one that fits none [hippo.ErrNotFound].
// Forgotten memories are found by whole UUID only.
func (e *Engine) Resolve(ctx context.Context, ref string) (hippo.ID, error) {
	if id, err := hippo.ParseID(ref); err == nil {
		return id, nil
	}
	if len(ref) < minPrefix {
		return hippo.ID{}, hippo.Fieldf("id", "must be a UUID or at least %d characters of one or of a content hash, got %q", minPrefix, ref)
	}
	if err := e.index.CatchUp(ctx); err != nil {
		return hippo.ID{}, err
	}
	switch ids := e.index.Lookup(strings.ToLower(ref)); len(ids) {
	case 0:
		return hippo.ID{}, fmt.Errorf("%w: no memory whose id or hash begins with %q", hippo.ErrNotFound, ref)
	case 1:
		return ids[0], nil
	default:
		return hippo.ID{}, hippo.Fieldf("id", "%q fits several memories: %v; give more characters", ref, ids)
	}
}
