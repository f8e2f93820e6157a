package engine

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/surprise"
)

// learner is what the scorer knows of its predictor.
type learner struct {
	primed  bool  // it has learned from the store
	problem error // the last one of the predictor
}

// loss returns the prediction loss of a new text; 0 without a predictor, or while it is not available.
func (s *scorer) loss(ctx context.Context, text string) float64 {
	if s.Predictor == nil {
		return 0
	}
	loss, err := s.Predictor.Loss(ctx, text)
	s.fail(err)
	if err != nil {
		return 0
	}
	if l, ok := s.Predictor.(surprise.Learner); ok {
		l.Learn(text)
	}
	return loss
}

// fail notes the state of the predictor.
func (s *scorer) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.problem == nil {
		s.log.Warn("there is no prediction loss", "error", err)
	}
	s.problem = err
}

// notes say why there is no prediction loss; nil if there is nothing to say.
func (s *scorer) notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problem == nil {
		return nil
	}
	return []string{"prediction loss: " + s.problem.Error()}
}

// primedTexts is the largest number of texts that a learner learns at first.
const primedTexts = 2000

// prime makes a learner learn texts of the store, once: not those that it is about to predict, and not
// those that wait.
func (s *scorer) prime(ctx context.Context, batch []hippo.ID) {
	l, ok := s.Predictor.(surprise.Learner)
	if !ok || s.primed {
		return
	}
	s.primed = true
	s.mu.Lock()
	later := make(map[hippo.ID]bool, len(batch)+len(s.pending))
	for _, id := range slices.Concat(s.pending, batch) {
		later[id] = true
	}
	s.mu.Unlock()
	n := 0
	for c, err := range s.engine.store.Changes(ctx, 0) {
		if err != nil || n == primedTexts {
			return // it learns what comes
		}
		if c.Memory != nil && !c.Memory.Forgotten() && !later[c.ID] {
			l.Learn(c.Memory.Content)
			n++
		}
	}
}
