package index

import (
	"context"

	"github.com/hippo-memory/hippo"
)

// Settle runs write, which stores accesses that Touch counted on a day: counts are those that are stored, and no longer pending,
// afterwards. If write fails they stay pending. The store is not read meanwhile, so that no access is counted twice. The error
// is that of write or of ctx.
func (f *follower) Settle(ctx context.Context, day hippo.Day, counts map[hippo.ID]int, write func() error) error {
	select {
	case f.token <- struct{}{}:
		defer func() { <-f.token }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := write(); err != nil {
		return err
	}
	// If the file is damaged, it is rebuilt from what the store has.
	_ = f.upkeep.guardUpdate(func() error {
		f.edit(func(d *draft) {
			d.count(f.touches.take())
			for id, n := range counts {
				d.settle(id, use{int32Of(int(day)), int32Of(n)})
			}
		})
		return nil
	})
	f.upkeep.maintain()
	return nil
}
