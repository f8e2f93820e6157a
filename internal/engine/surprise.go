package engine

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/store"
)

// maxPasts is how many verbs run in the past at a time: each takes RAM and a core, for a caller who may only read, too.
const maxPasts = 2

// behind are the writers that work behind the answers.
type behind struct {
	accesses *accessWriter
	surprise *scorer       // nil: surprise is not computed
	planning chan struct{} // a token: one consolidation at a time
	pasts    chan struct{} // tokens of the verbs that run in the past, see [maxPasts]
}

func (b *behind) close() {
	b.accesses.close()
	if b.surprise != nil {
		b.surprise.close()
	}
}

// recorded scores new memories, later.
func (b *behind) recorded(ms ...*hippo.Memory) {
	if b.surprise == nil {
		return
	}
	for _, m := range ms {
		b.surprise.add(m.ID)
	}
}

// notes say what of it is not available.
func (b *behind) notes() []string {
	if b.surprise == nil {
		return nil
	}
	return b.surprise.prediction.notes()
}

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

// scorer computes the surprise of new memories: one goroutine, which rests more than it works.
type scorer struct {
	surprise.Options
	prediction prediction
	store      *store.Store
	index      *index.Index
	embedding  *embedding.Follower
	indexed    func(context.Context, func() error) error // [Engine.indexed]

	turn chan struct{} // a token: one batch at a time
	wake chan struct{}
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	pending []hippo.ID
}

// start begins to score.
func (s *scorer) start() {
	s.turn, s.wake, s.done = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go s.run(ctx)
}

func (s *scorer) add(id hippo.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) < maxScoring {
		s.pending = append(s.pending, id)
	}
	signal(s.wake)
}

// take removes up to n memories that wait.
func (s *scorer) take(n int) []hippo.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, len(s.pending))
	out := s.pending[:n:n]
	s.pending = s.pending[n:]
	return out
}

// waiting returns the memories that wait.
func (s *scorer) waiting() []hippo.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pending)
}

func (s *scorer) run(ctx context.Context) {
	defer close(s.done)
	for {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return
		}
		for wait := scoreDelay; ; {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
			begin := time.Now() //nolint:forbidigo // a duration, not the user's time
			if s.batch(ctx, scoreBatch) == 0 {
				break
			}
			wait = max(scoreDelay, scoreRest*time.Since(begin))
		}
	}
}

// batch scores up to n memories that wait, and returns how many it took. Those that cannot be scored
// stay without.
func (s *scorer) batch(ctx context.Context, n int) int {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	ids := s.take(n)
	if len(ids) == 0 {
		return 0
	}
	if _, err := s.score(ctx, ids, true); err != nil {
		s.prediction.log.Warn("memories have no surprise yet", "memories", len(ids), "error", err)
	}
	return len(ids)
}

// score computes and stores the surprise of memories, and returns how many changed. learn: they are
// new, and the predictor has not seen them; others keep the loss that they have.
func (s *scorer) score(ctx context.Context, ids []hippo.ID, learn bool) (changed int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	ms, err := s.store.Get(ctx, ids)
	if err != nil {
		return 0, err
	}
	ms = slices.DeleteFunc(ms, (*hippo.Memory).Forgotten)
	if learn {
		s.prediction.prime(ctx, s.store, slices.Concat(ids, s.waiting()))
	}
	subjects := make([]surprise.Subject, len(ms))
	for i, m := range ms {
		subjects[i] = surprise.Subject{Content: m.Content, Tags: len(m.Tags), Explicit: surprise.ExplicitOf(m), Loss: m.Surprise.Loss}
		if learn {
			subjects[i].Loss = s.prediction.loss(ctx, m.Content)
		}
	}
	scores := make(map[hippo.ID]hippo.Surprise, len(ms))
	err = s.indexed(ctx, func() error {
		s.embedding.EmbedInstant(ctx)
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
	return len(scores), store.Score(ctx, s.store, scores)
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
func (s *scorer) cosines(ms []*hippo.Memory) map[hippo.ID][]float64 {
	v, n := s.index.Vectors, s.Mode.Neighbours()
	find := (*index.Vectors).Nearest
	if s.Mode == surprise.ClaudeHippo {
		find = (*index.Vectors).Earlier
	}
	out := make(map[hippo.ID][]float64, len(ms))
	for _, model := range s.embedding.Steady(retrieve.Semantic) {
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

// close ends the goroutine. A few memories that wait are scored; the others are left to the consolidation.
func (s *scorer) close() {
	s.stop()
	<-s.done
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	s.batch(ctx, scoredAtClose)
	s.prediction.close()
}

func (s *scorer) rescore(ctx context.Context, ids []hippo.ID) (int, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.score(ctx, ids, false)
}
