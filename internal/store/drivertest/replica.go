package drivertest

import (
	"context"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// replica is what a follower knows.
type replica struct {
	revision hippo.Revision
	memories map[hippo.ID]*hippo.Memory
}

func (r *replica) catchUp(ctx context.Context, b driver.Backend) error {
	list, err := readChanges(ctx, b, r.revision)
	r.apply(list)
	return err
}

func (r *replica) apply(list []driver.Change) {
	for _, c := range list {
		r.revision = c.Revision
		if c.Memory == nil {
			delete(r.memories, c.ID)
		} else {
			r.memories[c.ID] = c.Memory
		}
	}
}

// use takes all accesses from the store, which have no revision.
func (r *replica) use(ctx context.Context, b driver.Backend) error {
	uses := make(map[hippo.ID][]hippo.Access)
	for u, err := range b.Uses(ctx, math.MinInt32) {
		if err != nil {
			return err
		}
		uses[u.ID] = append(uses[u.ID], u.Access)
	}
	for id, m := range r.memories {
		m.Accesses = uses[id]
	}
	return nil
}

// list returns those memories of the pool of the scripts that exist.
func (r *replica) list() []*hippo.Memory {
	var ms []*hippo.Memory
	for _, id := range idRange(poolSize) {
		if m := r.memories[id]; m != nil {
			ms = append(ms, m)
		}
	}
	return ms
}
