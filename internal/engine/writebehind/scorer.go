package writebehind

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/ondemand"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/store"
)

const (
	// scoreDelay is how long new memories wait for their score: those that come together are scored
	// together, each against all of them.
	scoreDelay = 500 * time.Millisecond
	// scoreBatch is the number of memories that are scored and written together.
	scoreBatch = 64
	// maxScoring is the largest number that waits; of more the consolidation takes care.
	maxScoring = 4096
	// scoreRest is the rest after a batch, in multiples of its time, so that scoring takes a tenth of a core.
	scoreRest = 9
	// scoredAtClose is the number of memories that are scored when the engine closes, so that a process
	// that records one memory scores it.
	scoredAtClose = 4
	// closeWait bounds what a prediction may take then.
	closeWait = 200 * time.Millisecond
)

// Scorer computes the surprise of new memories, in one goroutine, which rests more than it works. A nil Scorer computes none. It
// is safe for concurrent use.
type Scorer struct {
	ScorerConfig
	prediction prediction

	turn   chan struct{} // a token: one batch at a time
	worker ondemand.Worker
	ctx    context.Context // of the worker
	stop   context.CancelFunc

	mu      sync.Mutex
	pending []hippo.ID
}

// ScorerConfig wires a [Scorer]. All but Predictor is required.
type ScorerConfig struct {
	surprise.Options
	// Predictor is a language model; nil: there is no prediction loss. A [surprise.Learner] learns the texts
	// of the store before it predicts the first one, and then each after it predicted that.
	Predictor surprise.Predictor
	Store     *store.Store
	Index     *index.Index
	Embedding *embedding.Follower
	// Indexed runs a function while the index has the state of the store.
	Indexed func(context.Context, func() error) error
	Log     *slog.Logger
}

// NewScorer returns a Scorer. [Scorer.Close] ends its work.
func NewScorer(c ScorerConfig) *Scorer {
	s := &Scorer{
		ScorerConfig: c, prediction: prediction{model: c.Predictor, log: c.Log},
		turn: make(chan struct{}, 1),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Add scores new memories, later. It does not block.
func (s *Scorer) Add(ms ...*hippo.Memory) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range ms[:min(len(ms), maxScoring-len(s.pending))] {
		s.pending = append(s.pending, m.ID)
	}
	s.worker.Start(s.run)
}

// Drain scores what waits.
func (s *Scorer) Drain(ctx context.Context) error {
	for s != nil && s.batch(ctx, scoreBatch) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Notes name what is missing of the score, such as the prediction loss, and why; nil if nothing is.
func (s *Scorer) Notes() []string {
	if s == nil {
		return nil
	}
	return s.prediction.notes()
}

// take removes up to n memories that wait.
func (s *Scorer) take(n int) []hippo.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, len(s.pending))
	out := s.pending[:n:n]
	s.pending = s.pending[n:]
	return out
}

// waiting returns the memories that wait.
func (s *Scorer) waiting() []hippo.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pending)
}

// run scores all that waits, batch by batch.
func (s *Scorer) run() {
	for wait := scoreDelay; ; {
		select {
		case <-time.After(wait):
		case <-s.ctx.Done():
			return
		}
		begin := time.Now() //nolint:forbidigo // a duration, not the user's time
		if s.batch(s.ctx, scoreBatch) == 0 {
			return
		}
		wait = max(scoreDelay, scoreRest*time.Since(begin))
	}
}

// batch scores up to n memories that wait, and returns how many it took. Those that cannot be scored
// stay without.
func (s *Scorer) batch(ctx context.Context, n int) int {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	ids := s.take(n)
	if len(ids) == 0 {
		return 0
	}
	if _, err := s.score(ctx, ids, true); err != nil {
		s.Log.Warn("memories have no surprise yet", "memories", len(ids), "error", err)
	}
	return len(ids)
}

// score computes and stores the surprise of memories, and returns how many changed. learn: they are
// new, and the predictor has not seen them; others keep the loss that they have.
func (s *Scorer) score(ctx context.Context, ids []hippo.ID, learn bool) (changed int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	ms, err := s.Store.Get(ctx, ids)
	if err != nil {
		return 0, err
	}
	ms = slices.DeleteFunc(ms, (*hippo.Memory).Forgotten)
	if learn {
		s.prediction.prime(ctx, s.Store, slices.Concat(ids, s.waiting()))
	}
	subjects := make([]surprise.Subject, len(ms))
	for i, m := range ms {
		subjects[i] = surprise.Subject{Content: m.Content, Tags: len(m.Tags), Explicit: surprise.ExplicitOf(m), Loss: m.Surprise.Loss}
		if learn {
			subjects[i].Loss = s.prediction.loss(ctx, m.Content)
		}
	}
	scores := make(map[hippo.ID]hippo.Surprise, len(ms))
	err = s.Indexed(ctx, func() error {
		s.Embedding.EmbedInstant(ctx)
		cosines := s.cosines(ms)
		for i, m := range ms {
			subjects[i].Cosines = cosines[m.ID]
			if c := s.Of(subjects[i]); differs(&c, &m.Surprise) {
				scores[m.ID] = c
			}
		}
		return ctx.Err()
	})
	if err != nil || len(scores) == 0 {
		return 0, err
	}
	return len(scores), store.Score(ctx, s.Store, scores)
}

// leastChange is the least difference of a component that is worth a write.
const leastChange = .004

// differs reports whether a surprise is to be stored in the place of another.
func differs(a, b *hippo.Surprise) bool {
	d := func(x, y float64) bool { return math.Abs(x-y) >= leastChange }
	return b.Score == 0 || d(a.Score, b.Score) || d(a.Outlier, b.Outlier) || d(a.Engagement, b.Engagement) || d(a.Explicit, b.Explicit) || d(a.Loss, b.Loss)
}

// cosines returns those of memories and their neighbours, of each by the first model that has its vector: the
// instant one, which has those of all, if there is one. Without a vector it is as if there were unrelated ones:
// half of a distance in one mode and a whole one in the other.
func (s *Scorer) cosines(ms []*hippo.Memory) map[hippo.ID][]float64 {
	v, n := s.Index.Vectors, s.Mode.Neighbours()
	find := (*index.Vectors).Nearest
	if s.Mode == surprise.ClaudeHippo {
		find = (*index.Vectors).Earlier
	}
	out := make(map[hippo.ID][]float64, len(ms))
	for _, model := range s.Embedding.Steady(retrieve.Semantic) {
		var rest []hippo.ID
		for _, m := range ms {
			if _, ok := out[m.ID]; !ok {
				rest = append(rest, m.ID)
			}
		}
		maps.Copy(out, find(v, model, rest, n))
	}
	for _, m := range ms {
		if _, ok := out[m.ID]; !ok {
			out[m.ID] = []float64{unknownCosine}
		}
	}
	return out
}

// unknownCosine stands for the neighbours of a memory that has no vector.
const unknownCosine = .5

// Close ends the goroutine. A few memories that wait are scored; the others are left to the consolidation.
func (s *Scorer) Close() {
	if s == nil {
		return
	}
	s.stop()
	s.worker.Close()
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	s.batch(ctx, scoredAtClose)
	s.prediction.close()
}

// Rescore computes the surprise of memories again, and returns how many changed. Predictions are not repeated: a memory keeps the
// loss that it has. Cost: a scan of the vectors for eight of them, 1 ms each in a store of 100,000.
func (s *Scorer) Rescore(ctx context.Context, ids []hippo.ID) (changed int, err error) {
	if s == nil {
		return 0, nil
	}
	for some := range slices.Chunk(ids, scoreBatch) {
		done, err := s.again(ctx, some)
		if changed += done; err != nil {
			return changed, err
		}
	}
	return changed, nil
}

func (s *Scorer) again(ctx context.Context, ids []hippo.ID) (int, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.score(ctx, ids, false)
}
