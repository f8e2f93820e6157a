package store

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Score sets the surprise of memories, and leaves their versions and times as they are. Unknown
// memories, and those that cannot be read, are skipped. The write survives a crash of the process, not of the machine:
// surprise can be computed again. Errors: [hippo.ErrInvalid] for a component that is not in [0, 1].
func Score(ctx context.Context, s *Store, scores map[hippo.ID]hippo.Surprise) error {
	ids := make([]hippo.ID, 0, len(scores))
	for id := range scores {
		ids = append(ids, id)
	}
	err := write(ctx, s, driver.Lazy, func(tx driver.Tx) error {
		ms, err := tx.Get(ids...)
		if driver.Readable(err) != nil {
			return err
		}
		changed := ms[:0]
		for _, m := range ms {
			if x := scores[m.ID]; m.Surprise != x {
				m.Surprise = x
				if err := m.Validate(); err != nil {
					return err
				}
				changed = append(changed, m)
			}
		}
		return tx.Put(changed...)
	})
	return wrap("score", err)
}
