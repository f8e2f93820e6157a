package index

import (
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/base/ondemand"
)

// upkeep is the background work: merges and saves, one at a time.
type upkeep struct {
	*state
	opts *Options
	file indexFile // guarded by working
	// rebuilding is set while an empty index is filled.
	rebuilding atomic.Bool

	working    sync.Mutex // held by the work
	background ondemand.Worker
	warned     sync.Once // that the file cannot be written
	sender     *sender   // nil: the file does not travel
}

// warn ends a best effort: the index goes on in memory, and the next save tries again. What
// stands in the way is logged once.
func (u *upkeep) warn(err error) {
	if err != nil {
		u.warned.Do(func() { u.opts.Log.Warn("index: the file cannot be written", "error", err) })
	}
}
