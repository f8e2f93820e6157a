package surprise

import (
	"context"

	"github.com/hippo-memory/hippo"
)

// Predictor is a language model that texts surprise. It is safe for concurrent use.
type Predictor interface {
	// Loss returns how badly the model predicts a text, in (0, 1]; 0: it cannot tell, such as of a
	// text that is too short. An error is that it is not available, or of ctx.
	Loss(ctx context.Context, text string) (float64, error)
}

// Learner is a [Predictor] that learns from the store.
type Learner interface {
	Predictor
	// Learn makes the model know a text.
	Learn(text string)
}

// ExplicitOf returns the importance that the author of a memory gave it; 0 if none was given:
// [hippo.DefaultImportance] is what it has then. A front end that knows better sets the component
// before it records the memory.
func ExplicitOf(m *hippo.Memory) float64 {
	if m.Importance.Base != hippo.DefaultImportance {
		return m.Importance.Base
	}
	return m.Surprise.Explicit
}
