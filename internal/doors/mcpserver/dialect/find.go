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
)

// hashDigits is the length of a whole content hash.
const hashDigits = 64

// HashOf returns the content hash of a memory in hexadecimal digits.
func HashOf(m *hippo.Memory) string { return hex.EncodeToString(m.ContentHash[:]) }

// Find returns the live memories that a reference means: a whole content hash, and a number of memories that share
// one, mean all of them, any other reference one. Errors name field; one that fits nothing is [hippo.ErrNotFound].
func Find(ctx context.Context, c *Call, field, ref string) ([]*hippo.Memory, error) {
	ref = strings.TrimSpace(ref)
	id, err := c.Resolve(ctx, ref, api.PreferLive)
	ids := []hippo.ID{id}
	if several, ok := errors.AsType[*hippo.AmbiguousError](err); ok && (len(ref) == hashDigits || strings.HasPrefix(ref, "#")) {
		ids, err = candidates(ctx, c, several)
	}
	if err != nil {
		return nil, Renamed(err, field)
	}
	ms, err := c.Get(ctx, ids)
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
		if ids[i], err = c.Resolve(ctx, candidate[0], api.PreferLive); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Renamed returns an error about a reference with the name of its argument.
func Renamed(err error, field string) error {
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return hippo.Fieldf(field, "%s", bad.Why)
	}
	if bad, ok := errors.AsType[*hippo.AmbiguousError](err); ok {
		return hippo.Fieldf(field, "%v", bad)
	}
	return err
}
