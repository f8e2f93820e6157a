// Package local asks a causal language model in this process how badly it predicts a text. It opens the model when the first
// text comes, which takes seconds, and so belongs to the background.
package local

import (
	"context"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
)

// Model is a causal language model.
type Model interface {
	// NLL returns the mean negative log likelihood of the tokens of a text after the first, in nats, and the number of
	// tokens that it read.
	NLL(ctx context.Context, text string) (nats float64, tokens int, err error)
	Close() error
}

// Predictor is a [surprise.Predictor] over a model. It is for one goroutine at a time.
type Predictor struct {
	open  func(context.Context) (Model, error)
	model Model // nil before the first text
	pause surprise.Pause
}

var _ surprise.Predictor = (*Predictor)(nil)

// New returns a Predictor over what open returns, which it closes. now is the clock; nil means the system's.
func New(open func(context.Context) (Model, error), now func() time.Time) *Predictor {
	return &Predictor{open: open, pause: surprise.Pause{Now: now}}
}

// Loss implements [surprise.Predictor]: the mean negative log likelihood over 6 nats, at most 1. After an error the model is
// opened again, a minute later: its files may have been repaired.
func (p *Predictor) Loss(ctx context.Context, text string) (float64, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	return p.pause.Ask(ctx, func() (float64, error) {
		loss, err := p.ask(ctx, text)
		if err != nil && ctx.Err() == nil {
			_ = p.Close() // the error is the reason
		}
		return loss, err
	})
}

func (p *Predictor) ask(ctx context.Context, text string) (float64, error) {
	if p.model == nil {
		m, err := p.open(ctx)
		if err != nil {
			return 0, err
		}
		p.model = m
	}
	nats, tokens, err := p.model.NLL(ctx, text)
	if err != nil {
		return 0, err
	}
	return surprise.LossOf(nats, max(tokens-1, 0)), nil
}

// Close closes the model; the next text opens it again.
func (p *Predictor) Close() error {
	m := p.model
	if p.model = nil; m == nil {
		return nil
	}
	return m.Close()
}
