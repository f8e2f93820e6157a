package shodh

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// forgotten is the answer of forget.
type forgotten struct {
	Success bool `json:"success"`
	Deleted bool `json:"deleted"`
}

// forget hides a memory from this interface for good. The store keeps it, so that its owner can
// restore or purge it.
func forget(ctx context.Context, c *call) (reply, error) {
	m, err := find(ctx, c)
	if err != nil {
		return reply{}, err
	}
	if _, err = memory.Forget(ctx, c.Memories, []hippo.ID{m.ID}); err != nil {
		return reply{}, err
	}
	return reply{body: forgotten{true, true}}, nil
}

// forgottenByTags is the answer of forgetByTags. With dry_run nothing is deleted, and DeletedCount says
// how many memories would be.
type forgottenByTags struct {
	Success      bool `json:"success"`
	DeletedCount int  `json:"deleted_count"`
	DryRun       bool `json:"dry_run,omitempty"`
}

func forgetByTags(ctx context.Context, c *call) (reply, error) {
	l, err := withTags(ctx, c, math.MaxInt)
	if err != nil {
		return reply{}, err
	}
	ids := hippo.IDsOf(l.Memories...)
	out := forgottenByTags{Success: true, DeletedCount: len(ids), DryRun: c.Flag("dry_run")}
	if out.DryRun {
		return reply{body: out}, nil
	}
	done := 0
	for batch := range slices.Chunk(ids, hippo.MaxIDs) {
		if _, err := memory.Forget(ctx, c.Memories, batch); err != nil {
			return reply{}, fmt.Errorf("%d of %d memories were deleted: %w", done, len(ids), err)
		}
		done += len(batch)
	}
	return reply{body: out}, nil
}
