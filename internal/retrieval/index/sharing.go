package index

import (
	"context"
	"io"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Snapshots keeps files of indexes for other machines. Store is the identity of a store ([driver.Head]), form says what can read a file,
// in lower-case letters, digits and hyphens. Whoever reads checks what it gets: an implementation may lose snapshots.
type Snapshots interface {
	// Newest returns the highest revision of a snapshot that is not above most; 0: there is none.
	Newest(ctx context.Context, store, form string, most hippo.Revision) (hippo.Revision, error)
	// Fetch writes a snapshot to a file. The error is [hippo.ErrNotFound] if it does not exist any more.
	Fetch(ctx context.Context, store, form string, revision hippo.Revision, to io.Writer) error
	// Keep stores a snapshot, whole or not at all, in place of one of the same revision, and removes old ones.
	Keep(ctx context.Context, store, form string, revision hippo.Revision, from *io.SectionReader) error
}

// Sharing lets the file of an index travel: an index without a file fetches the newest snapshot, and one that has grown is kept for
// others.
type Sharing struct {
	Snapshots Snapshots
	// Leases decide who keeps snapshots, by the right "index".
	Leases driver.Leases
	// Wait is how long a small snapshot may take to arrive before the index is built without it, and to leave when the index is
	// closed; 0 means 10 seconds. For a large one it is as long as building may take.
	Wait time.Duration
}

const (
	defaultWait = 10 * time.Second
	// buildTime is about how long it takes to build the index of one memory.
	buildTime = 100 * time.Microsecond
)

// patience is how long a snapshot of a number of memories may take.
func (s *Sharing) patience(memories int) time.Duration {
	wait := s.Wait
	if wait == 0 {
		wait = defaultWait
	}
	return max(wait, time.Duration(memories)*buildTime)
}
