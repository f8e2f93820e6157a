package consolidate

import "context"

const (
	// checkEvery is the number of memories, as vectors, between two calls of a [pause], checkTexts that of those whose
	// texts or lists of terms are looked at: both take about a millisecond.
	checkEvery = 1 << 8
	checkTexts = 1 << 4
)

// pause is called between short pieces of work. It may take a while, and its error ends the work.
type pause func() error

// pause returns what looks at the context and calls Yield.
func (v *View) pause(ctx context.Context) pause {
	return func() error {
		if err := ctx.Err(); err != nil || v.Yield == nil {
			return err
		}
		return v.Yield(ctx)
	}
}

// at pauses before each of the steps 0, every, 2*every...
func (p pause) at(step, every int) error {
	if step%every != 0 {
		return nil
	}
	return p()
}
