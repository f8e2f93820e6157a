package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// pruneBatch is how many relations an operation of [Prune] drops: other writers wait for some 20 ms.
const pruneBatch = 1000

// Prune drops the learned relations that have faded, in operations like op of up to [pruneBatch] relations in one namespace
// each. It returns how many it has dropped. Cost: one read of all relations.
func Prune(ctx context.Context, s *Store, op hippo.Operation, faded func(r *hippo.Relation, now time.Time) bool) (dropped int, err error) {
	var list []hippo.Relation
	now := s.now()
	for r, err := range s.backend.AllRelations(ctx) {
		if err != nil {
			return 0, wrap("prune relations", err)
		}
		if faded(&r, now) {
			list = append(list, r)
		}
	}
	return dropFaded(ctx, s, op, list)
}

// dropFaded is the second step of [Prune].
func dropFaded(ctx context.Context, s *Store, op hippo.Operation, list []hippo.Relation) (dropped int, err error) {
	pending := make(map[string][]hippo.Relation)
	drop := func(namespace string) error {
		scope := hippo.LocalScope("")
		scope.Namespace = namespace
		done, err := Tidy(ctx, As(s.In(scope), op), &Tidying{Drop: pending[namespace]})
		dropped += done.Dropped
		delete(pending, namespace)
		return err
	}
	for some := range slices.Chunk(list, pruneBatch) {
		namespaces, err := namespacesOf(ctx, s, some)
		if err != nil {
			return dropped, wrap("prune relations", err)
		}
		for _, r := range some {
			namespace, there := namespaces[r.From]
			if !there {
				continue
			}
			if pending[namespace] = append(pending[namespace], r); len(pending[namespace]) < pruneBatch {
				continue
			}
			if err := drop(namespace); err != nil {
				return dropped, err
			}
		}
	}
	for _, namespace := range slices.Sorted(maps.Keys(pending)) {
		if err := drop(namespace); err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}

// namespacesOf returns the namespaces of the memories that relations lead from.
func namespacesOf(ctx context.Context, s *Store, rs []hippo.Relation) (map[hippo.ID]string, error) {
	ids := make([]hippo.ID, len(rs))
	for i := range rs {
		ids[i] = rs[i].From
	}
	slices.SortFunc(ids, hippo.ID.Compare)
	ms, err := s.backend.Get(ctx, slices.Compact(ids))
	out := make(map[hippo.ID]string, len(ms))
	for _, m := range ms {
		out[m.ID] = m.Namespace
	}
	return out, driver.Readable(err)
}
