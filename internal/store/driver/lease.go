package driver

import (
	"context"
	"time"
)

// Leases are rights that one handle of a store has at a time, over all processes and machines, such as the right to embed its
// memories. They are advice: writes do not depend on them.
type Leases interface {
	// Lease takes a right from now on for a duration, or keeps it, unless another handle has it. With a duration of 0 it takes
	// nothing and returns the present state. Where other machines use the store the duration is measured by its clock; a right
	// in a store of files is held until it is released, the handle is closed or the process ends. Closing a handle changes no
	// end. Names are lower-case letters, digits and
	// hyphens.
	Lease(ctx context.Context, name string, d time.Duration) (Lease, error)
	// Release gives a right back. One that the handle does not have is left alone.
	Release(ctx context.Context, name string) error
}

// Lease is the state of a right.
type Lease struct {
	// Held reports whether the handle that asked has it.
	Held bool
	// Until is when the right was to end before the call, of whichever handle had it last; zero: none ever had it.
	Until time.Time
}

// Elsewhere reports whether another handle has the right at a time.
func (l Lease) Elsewhere(now time.Time) bool { return !l.Held && l.Until.After(now) }
