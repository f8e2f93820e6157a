package writebehind

import (
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/store"
)

// prediction is the language model of a [Scorer], and its state.
type prediction struct {
	model  surprise.Predictor // nil: there is none
	log    *slog.Logger
	primed bool // it has learned from the store

	mu      sync.Mutex
	problem error // of the last prediction
}

// loss returns the prediction loss of a new text; 0 without a predictor, or while it is not available.
func (p *prediction) loss(ctx context.Context, text string) float64 {
	if p.model == nil {
		return 0
	}
	loss, err := p.model.Loss(ctx, text)
	p.fail(err)
	if err != nil {
		return 0
	}
	if l, ok := p.model.(surprise.Learner); ok {
		l.Learn(text)
	}
	return loss
}

// close closes a model that has something to close.
func (p *prediction) close() {
	if c, ok := p.model.(io.Closer); ok {
		if err := c.Close(); err != nil {
			p.log.Warn("the model of the prediction loss does not close", "error", err)
		}
	}
}

// fail notes the state of the predictor.
func (p *prediction) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && p.problem == nil {
		p.log.Warn("there is no prediction loss", "error", err)
	}
	p.problem = err
}

// notes say why there is no prediction loss; nil if there is nothing to say.
func (p *prediction) notes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.problem == nil {
		return nil
	}
	return []string{"prediction loss: " + p.problem.Error()}
}

// primedTexts is the largest number of texts that a learner learns at first.
const primedTexts = 2000

// prime makes a learner learn texts of the store, once: not those that are to be predicted.
func (p *prediction) prime(ctx context.Context, s *store.Store, later []hippo.ID) {
	l, ok := p.model.(surprise.Learner)
	if !ok || p.primed {
		return
	}
	p.primed = true
	skip := make(map[hippo.ID]bool, len(later))
	for _, id := range later {
		skip[id] = true
	}
	n := 0
	for c, err := range s.Changes(ctx, 0) {
		if err != nil || n == primedTexts {
			return // it learns what comes
		}
		if c.Memory != nil && !c.Memory.Forgotten() && !skip[c.ID] {
			l.Learn(c.Memory.Content)
			n++
		}
	}
}
