package pgstore

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// limits are what a tenant may keep; 0: no limit.
type limits struct{ memories, texts int64 }

// within refuses a transaction that adds to a tenant more than it may keep. What removes something, or adds nothing, always may.
func (p *place) within(before, after *head) error {
	l := &after.limits
	switch {
	case l.memories > 0 && int64(after.Memories) > l.memories && after.Memories > before.Memories:
		return fmt.Errorf("%w: namespace %q may keep %d memories and has %d, %d of them forgotten: hippo forget with --purge makes room, and hippo tenant limit %s --memories NUMBER raises the limit",
			hippo.ErrFull, p.tenant, l.memories, before.Memories, before.Forgotten, termtext.Argument(p.tenant))
	case l.texts > 0 && after.texts > l.texts && after.texts > before.texts:
		return fmt.Errorf("%w: namespace %q may keep texts of %s and has %s: hippo forget with --purge makes room, and hippo tenant limit %s --bytes SIZE raises the limit",
			hippo.ErrFull, p.tenant, bytesText(l.texts), bytesText(before.texts), termtext.Argument(p.tenant))
	}
	return nil
}

func bytesText(n int64) string { return humanize.IBytes(uint64(max(0, n))) }
