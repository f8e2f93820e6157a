package store

import (
	"context"

	"github.com/hippo-memory/hippo/internal/store/overlay"
)

// Held is a [Store] whose writes are held back until [Held.Commit]. Its own reads see them.
type Held struct {
	*Store
	overlay *overlay.Store
}

// Hold returns a store with its writes held back, those of what it returns. It need not be closed.
func Hold(ctx context.Context, s *Store) (*Held, error) {
	o, err := overlay.New(ctx, s.backend)
	if err != nil {
		return nil, wrap("hold", err)
	}
	h := &Held{Store: New(o, &Options{Now: s.now, Zone: s.zone, Retention: &s.retention, Cast: s.cast}), overlay: o}
	_, err = h.Head(ctx) // which relations there are is known then
	return h, err
}

// Commit stores what was held back in one transaction, all or nothing; see [overlay.Store.Commit].
func (h *Held) Commit(ctx context.Context) error { return wrap("commit", h.overlay.Commit(ctx)) }
