package driver

import (
	"context"

	"github.com/hippo-memory/hippo"
)

// Numbered is implemented by back ends whose memories have numbers that other programs know them by, all below
// [hippo.FirstNumber]. Memories without one have [hippo.ID.Number].
type Numbered interface {
	// Numbers returns the numbers of memories; those without one are left out.
	Numbers(ctx context.Context, ids []hippo.ID) (map[hippo.ID]int64, error)
	// Bearers returns the memories that have a number, forgotten ones included, in no order.
	Bearers(ctx context.Context, number int64) ([]hippo.ID, error)
}
