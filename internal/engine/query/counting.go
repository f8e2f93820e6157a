package query

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// CountUsed counts one use of each of some memories, as a search does of what it returns: for answers that were searched
// with NoTouch and of which a part is shown. It advances the active day. Memories that the caller does not see are
// skipped. A store that cannot be written is no error: note says that use is not counted, and is empty otherwise.
func CountUsed(ctx context.Context, m *engine.Memories, ids []hippo.ID) (note string, err error) {
	if len(ids) == 0 {
		return "", nil
	}
	return engine.Perform(ctx, m, ids, "count_used", countUsed)
}

func countUsed(ctx context.Context, m *engine.Memories, ids []hippo.ID) (note string, err error) {
	if n := len(ids); n > hippo.MaxCount {
		return "", hippo.Fieldf("IDs", "must be at most %d, got %d", hippo.MaxCount, n)
	}
	ms, err := m.Scoped.Get(ctx, engine.Distinct(ids))
	if err != nil {
		return "", err
	}
	var q hippo.Query
	day, degraded, err := activeDay(ctx, m, &q)
	switch {
	case err != nil:
		return "", err
	case q.NoTouch:
		return degraded[0], nil
	}
	seen := hippo.IDsOf(ms...)
	m.Index.Touch(seen, day)
	m.Accesses.Add(day, seen, nil)
	return "", nil
}
