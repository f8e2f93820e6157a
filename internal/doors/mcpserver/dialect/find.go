package dialect

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// hashDigits is the length of a whole content hash.
const hashDigits = 64

// HashOf returns the content hash of a memory in hexadecimal digits.
func HashOf(m *hippo.Memory) string { return hex.EncodeToString(m.ContentHash[:]) }

// Find returns the live memories that a reference means: a whole content hash, and a number of memories that share
// one, mean all of them, any other reference one. Errors name field; one that fits nothing is [hippo.ErrNotFound].
func Find(ctx context.Context, c *Call, field, ref string) ([]*hippo.Memory, error) {
	ref = strings.TrimSpace(ref)
	id, err := memory.Resolve(ctx, c.Memories, ref, api.PreferLive)
	ids := []hippo.ID{id}
	if several, ok := errors.AsType[*hippo.AmbiguousError](err); ok && (len(ref) == hashDigits || strings.HasPrefix(ref, "#")) {
		ids, err = candidates(ctx, c, several)
	}
	if err != nil {
		return nil, verb.Renamed(err, field)
	}
	ms, err := memory.Get(ctx, c.Memories, ids)
	if err != nil {
		return nil, err
	}
	ms = slices.DeleteFunc(ms, func(m *hippo.Memory) bool {
		return m.Forgotten() || len(ref) == hashDigits && !strings.EqualFold(HashOf(m), ref)
	})
	if len(ms) == 0 {
		return nil, fmt.Errorf("%w: no memory with hash %.80q", hippo.ErrNotFound, ref)
	}
	return ms, nil
}

func candidates(ctx context.Context, c *Call, several *hippo.AmbiguousError) ([]hippo.ID, error) {
	ids := make([]hippo.ID, len(several.Candidates))
	for i, candidate := range several.Candidates {
		var err error
		if ids[i], err = memory.Resolve(ctx, c.Memories, candidate[0], api.PreferLive); err != nil {
			return nil, err
		}
	}
	return ids, nil
}
