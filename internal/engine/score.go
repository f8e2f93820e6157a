package engine

import (
	"log/slog"

	"github.com/hippo-memory/hippo/internal/engine/writebehind"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
)

// Surprise says how the surprise of memories is computed.
type Surprise struct {
	surprise.Options
	// Predictor is [writebehind.ScorerConfig.Predictor].
	Predictor surprise.Predictor
}

// Score makes the engine compute the surprise of what is recorded, half a second later. It is called
// once, before the engine is used. It starts a goroutine, which Close ends.
func (e *Engine) Score(s Surprise, log *slog.Logger) {
	if s.Mode == surprise.Off || e.Remote != nil {
		return
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	e.Surprise = writebehind.NewScorer(writebehind.ScorerConfig{
		Options: s.Options, Predictor: s.Predictor, Store: e.Store, Index: e.Index, Embedding: e.Embedding, Indexed: e.Indexed, Log: log,
	})
}
