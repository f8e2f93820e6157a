package engine

import (
	"context"
	"runtime"
)

// turns admits searches, in the order in which they came: those beyond four times the number of processors
// wait before they embed anything. As many may share the scan of the vectors. A search that has begun then takes about as long as it would alone,
// its models do not run out of time, and none is overtaken until it is the slowest of all.
type turns chan struct{} // one for each search under way

func newTurns() turns { return make(turns, 4*runtime.GOMAXPROCS(0)) }

// begin waits for the turn of a search. The error is that of ctx.
func (t turns) begin(ctx context.Context) error {
	select {
	case t <- struct{}{}: // the runtime serves those that wait for a channel in their order
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turns) end() { <-t }
