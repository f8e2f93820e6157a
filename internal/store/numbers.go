package store

import (
	"context"
	"maps"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Numbers returns the numbers of memories, for programs that know memories by one: that which the back end has for
// it, or else [hippo.ID.Number].
func Numbers(ctx context.Context, s *Store, ids []hippo.ID) (map[hippo.ID]int64, error) {
	out := make(map[hippo.ID]int64, len(ids))
	for _, id := range ids {
		out[id] = id.Number()
	}
	b, ok := s.backend.(driver.Numbered)
	if !ok {
		return out, nil
	}
	own, err := b.Numbers(ctx, ids)
	maps.Copy(out, own)
	return out, wrap("numbers", err)
}

// Bearers returns the memories that the back end has a number for, in no order; none for an [hippo.ID.Number].
func Bearers(ctx context.Context, s *Store, number int64) ([]hippo.ID, error) {
	b, ok := s.backend.(driver.Numbered)
	if !ok {
		return nil, nil
	}
	ids, err := b.Bearers(ctx, number)
	return ids, wrap("bearers", err)
}
