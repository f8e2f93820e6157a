package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
)

// queryTimeout is how long a model may take for a query before the next one is asked.
const queryTimeout = 5 * time.Second

var errSlow = fmt.Errorf("%w: no answer within %v", hippo.ErrUnavailable, queryTimeout)

// asked is what a query means.
type asked struct {
	vector []float32
	model  string
	// elements are what the model elementModel made of its situation.
	elements     [][]float32
	elementModel string
	// degraded says what is wrong, if anything.
	degraded []string
}

// ask embeds a query and its situation; what cannot be embedded is looked for by
// words. The index is level with the store. The error is that of ctx.
func (m *meaning) ask(ctx context.Context, q *hippo.Query) (asked, error) {
	var a asked
	if len(q.Situation) > 0 {
		m.situate(ctx, q.Situation, &a)
	}
	if q.Text != "" && q.Ranker != hippo.RankerBM25 {
		m.wake()
		a.degraded = append(a.degraded, m.degraded()...)
		m.question(ctx, q.Text, &a)
	}
	if q.Ranker == hippo.RankerCosine && len(m.models) == 0 {
		a.degraded = append(a.degraded, "meaning: no model is in use, and ranker cosine goes by nothing else")
	}
	return a, ctx.Err()
}

// question embeds a query with the first model that can.
func (m *meaning) question(ctx context.Context, text string, a *asked) {
	for _, l := range m.models {
		if !m.answers(l) {
			continue
		}
		var err error
		if l.Instant {
			err = m.level(ctx, l)
		}
		var vectors [][]float32
		if err == nil {
			vectors, err = m.query(ctx, l, text)
		}
		if err == nil {
			a.model, a.vector = l.id, vectors[0]
			return
		}
		a.degraded = append(a.degraded, fmt.Sprintf("meaning: model %s: %v", l.id, err))
	}
}

// query embeds a query. A model that is too busy, or hangs, is not waited for.
func (m *meaning) query(ctx context.Context, l *member, text string) ([][]float32, error) {
	if !l.Instant {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, queryTimeout, errSlow)
		defer cancel()
	}
	vectors, err := checked(ctx, l, embed.Query, []string{text})
	if err != nil && errors.Is(context.Cause(ctx), errSlow) {
		err = errSlow
	}
	return vectors, err
}

// situate embeds the situation of a query, and what the index has of them, with
// the instant model: situations are many short texts that come and go.
func (m *meaning) situate(ctx context.Context, situation []string, a *asked) {
	i := slices.IndexFunc(m.models, func(l *member) bool { return l.Instant })
	if i < 0 {
		return
	}
	l := m.models[i]
	err := m.elements(ctx, l)
	if err == nil {
		a.elements, err = checked(ctx, l, embed.Sentence, situation)
	}
	if err != nil {
		a.elements = nil
		a.degraded = append(a.degraded, fmt.Sprintf("situations: model %s: %v", l.id, err))
		return
	}
	a.elementModel = l.id
}

// elements tells the index the meaning of all situations in it.
func (m *meaning) elements(ctx context.Context, l *member) error {
	for {
		texts := m.index.UnembeddedElements(l.id, instantBatch)
		if len(texts) == 0 {
			return nil
		}
		vectors, err := checked(ctx, l, embed.Sentence, texts)
		if err != nil {
			return err
		}
		list := make([]index.Element, len(texts))
		for i, t := range texts {
			list[i] = index.Element{Text: t, Values: vectors[i]}
		}
		m.index.SetElements(l.id, list)
	}
}

// pollEvery is how often progress is told.
const pollEvery = 100 * time.Millisecond

// Embed waits until the most wanted model has embedded all memories, and calls
// progress meanwhile. The error is that of the model, or of ctx; what was embedded
// so far is kept.
func (e *Engine) Embed(ctx context.Context, progress func(embedded, memories int)) error {
	if len(e.meaning.models) == 0 {
		return nil
	}
	if err := e.index.CatchUp(ctx); err != nil {
		return err
	}
	m, l := e.meaning, e.meaning.models[0]
	if l.Instant {
		return m.level(ctx, l)
	}
	m.note(l, nil) // what was wrong before is tried again
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		have, all := m.index.Embedded(l.id)
		progress(have, all)
		if have == all {
			return nil
		}
		if err := l.trouble(); err != nil && !errors.Is(err, embed.ErrNotReady) {
			return err
		}
		m.wake()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Warm loads the models ahead of the first search. What stands in the way is told
// by that search.
func (e *Engine) Warm() { _ = e.Ready(context.Background()) }

// Ready waits until the models are loaded; until then searches go by words. It does
// not wait for a model whose dimension is unknown: that is behind an endpoint, which may
// hang. The error is that of loading, or of ctx.
func (e *Engine) Ready(ctx context.Context) error {
	for _, l := range e.meaning.models {
		if w, ok := l.Embedder.(embed.Waiter); ok && l.Model.Model().Dimension > 0 {
			if err := w.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
