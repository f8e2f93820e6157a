package main

import (
	"context"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
)

// archive archives until as many of the memories are as ever may be, whatever their surprise, and whether anything
// near them stays or not: the lowest first, and where that leaves too few, from loose groups too, and then what was used lately. What was voted
// up always stays.
func (u *user) archive(ctx context.Context) error {
	o := consolidate.Default()
	o.Archive.Below, o.Archive.Near = 1, 0
	want := int(o.Archive.Share * float64(u.done.memories))
	for _, loosen := range []func(){
		func() {},
		func() { o.Clusters.Dense, o.Clusters.Members = 0, 2 },
		func() { o.Archive.Grace = 0 },
	} {
		if u.done.counts.Archived+u.done.atLast >= want {
			break
		}
		loosen()
		c, err := upkeep.Consolidate(ctx, u.Memories, upkeep.ConsolidateOptions{Horizon: api.Monthly, Constants: &o})
		if err != nil {
			return err
		}
		u.done.atLast += c.Archived
	}
	return nil
}
