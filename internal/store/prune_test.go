package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Many faded relations are dropped in operations of at most a thousand each.
func TestPrune_InBatches(t *testing.T) {
	t.Parallel()
	s, b, _ := openPreceded(t)
	ms := make([]*hippo.Memory, 60)
	for i := range ms {
		ms[i] = memory(fmt.Sprint("number ", i))
	}
	add(t, s, ms...)
	var rs []hippo.Relation
	for i, m := range ms {
		for _, o := range ms[:i] {
			r := hippo.CoRecall(m.ID, o.ID)
			r.Weight = .5
			rs = append(rs, r)
		}
	}
	if err := b.Relate(t.Context(), driver.Durable, rs, func(_, r hippo.Relation) hippo.Relation { return r }); err != nil {
		t.Fatal(err)
	}
	n, err := store.Prune(t.Context(), s, hippo.Operation{}, func(*hippo.Relation, time.Time) bool { return true })
	if err != nil || n != len(rs) {
		t.Errorf("dropped %d of %d (%v)", n, len(rs), err)
	}
	ops, err := b.Operations(t.Context(), driver.OperationQuery{Scope: &hippo.Scope{Rights: hippo.AllRights}, Limit: 9})
	if want := (len(rs) + 999) / 1000; err != nil || len(ops) != want {
		t.Errorf("%d operations for %d relations, want %d (%v)", len(ops), len(rs), want, err)
	}
}
