package surprise

import (
	"context"
	"time"
)

const (
	// nats is the mean negative log likelihood, in nats a token, that counts as 1.
	nats = 6
	// unknownLoss is the loss of a text of a single token, which has no context.
	unknownLoss = .5
	// leastLoss is above 0, which says that there is none.
	leastLoss = 1e-6
	// pause is how long a model that failed is left alone, so that memories do not wait for it one after the other.
	pause = time.Minute
)

// LossOf returns the loss of a text from the mean negative log likelihood of its tokens, in nats, and how many of them have
// one. Source: the design of claude-hippo, May 2026.
func LossOf(mean float64, tokens int) float64 {
	if tokens == 0 {
		return unknownLoss
	}
	return min(max(mean/nats, leastLoss), 1)
}

// Pause leaves a model that failed alone for a minute. It is for one goroutine at a time. The zero value is ready.
type Pause struct {
	// Now is the clock; nil means the system's.
	Now    func() time.Time
	failed error
	until  time.Time
}

// Ask returns what ask does, or, within a minute after it failed, the error again. That ctx ended is no failure.
func (p *Pause) Ask(ctx context.Context, ask func() (float64, error)) (float64, error) {
	now := p.Now
	if now == nil {
		now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if p.failed != nil && now().Before(p.until) {
		return 0, p.failed
	}
	loss, err := ask()
	if p.failed = nil; err != nil && ctx.Err() == nil {
		p.failed, p.until = err, now().Add(pause)
	}
	return loss, err
}
