package index

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Settle runs write, which stores accesses that Touch counted on day, and applies what it returns
// as stored. counts are the accesses that are no longer pending afterwards, unless write fails:
// then they stay pending. Changes are not read meanwhile, so that no access is counted twice. The
// error is that of write or of ctx.
func (f *follower) Settle(ctx context.Context, day hippo.Day, counts map[hippo.ID]int, write func() ([]driver.Touched, error)) error {
	select {
	case f.token <- struct{}{}:
		defer func() { <-f.token }()
	case <-ctx.Done():
		return ctx.Err()
	}
	stored, err := write()
	if err != nil {
		return err
	}
	// If the file is damaged, the next catch-up reads from the store what is stored.
	_ = f.upkeep.guardUpdate(func() error {
		f.edit(func(d *draft) {
			d.count(f.touches.take())
			settleAll(d, day, counts, stored)
		})
		return nil
	})
	f.upkeep.maintain()
	return nil
}
