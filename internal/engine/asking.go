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

// ask embeds a query with the model that serves. The index is level with the
// store; instant models are brought level with the index first.
func (m *meaning) ask(ctx context.Context, q *hippo.Query) (a asked, err error) {
	if err := m.situate(ctx, q.Situation, &a); err != nil || q.Text == "" || q.Ranker == hippo.RankerBM25 {
		return a, err
	}
	m.wake()
	a.degraded = m.degraded()
	i := m.serving()
	if i < 0 {
		return a, nil
	}
	model := m.models[i]
	a.model = model.Model().ID
	if model.Instant {
		if err := m.level(ctx, model); err != nil {
			return a, err
		}
	}
	vectors, err := model.Embed(ctx, embed.Query, []string{q.Text})
	if err == nil {
		err = embed.Check(model.Model(), 1, vectors)
	}
	if err != nil {
		a.degraded = append(a.degraded, "meaning: "+err.Error())
		return a, ctx.Err()
	}
	a.vector = vectors[0]
	return a, nil
}

// serving returns the number of the model that answers: the first that has
// embedded all memories, or all but a few; -1 if there is none.
func (m *meaning) serving() int {
	return slices.IndexFunc(m.models, func(model Model) bool {
		have, all := m.index.Embedded(model.Model().ID)
		return model.Instant || all-have <= max(slackCount, int(slackShare*float64(all)))
	})
}

// degraded says what keeps the wanted model from answering.
func (m *meaning) degraded() []string {
	out := slices.Clone(m.missing)
	if i := m.serving(); i >= 0 {
		return append(out, m.behind(m.models[:i])...)
	}
	return append(out, m.behind(m.models)...)
}

// status describes all models.
func (m *meaning) status() []ModelStatus {
	serving := m.serving()
	var out []ModelStatus
	for i, model := range m.models {
		id := model.Model().ID
		s := ModelStatus{ID: id, Instant: model.Instant, Serves: i == serving}
		s.Embedded, s.Memories = m.index.Embedded(id)
		if err := m.err(id); err != nil {
			s.Error = err.Error()
		}
		out = append(out, s)
	}
	return out
}

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
	m, model := e.meaning, e.meaning.models[0]
	if model.Instant {
		return m.level(ctx, model)
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		have, all := m.index.Embedded(model.Model().ID)
		progress(have, all)
		if have == all {
			return nil
		}
		if err := m.err(model.Model().ID); err != nil && !errors.Is(err, embed.ErrNotReady) {
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

// Ready waits until the models are loaded; until then searches go by words. The
// error is that of loading, or of ctx.
func (e *Engine) Ready(ctx context.Context) error {
	for _, model := range e.meaning.models {
		if w, ok := model.Embedder.(interface {
			Wait(ctx context.Context) error
		}); ok {
			if err := w.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// pollEvery is how often progress is told.
const pollEvery = 100 * time.Millisecond

// behind says how far the wanted models are that do not serve yet.
func (m *meaning) behind(models []Model) []string {
	var out []string
	for _, model := range models {
		id := model.Model().ID
		have, all := m.index.Embedded(id)
		text := fmt.Sprintf("meaning: model %s has embedded %d of %d memories", id, have, all)
		if err := m.err(id); err != nil {
			text += ": " + err.Error()
		}
		out = append(out, text)
	}
	return out
}

// situate embeds the situation of a query, and what the index has of them, with
// the instant model: situations are many short texts that come and go.
func (m *meaning) situate(ctx context.Context, situation []string, a *asked) error {
	i := slices.IndexFunc(m.models, func(model Model) bool { return model.Instant })
	if i < 0 || len(situation) == 0 {
		return nil
	}
	model := m.models[i]
	a.elementModel = model.Model().ID
	for {
		texts := m.index.UnembeddedElements(a.elementModel, instantBatch)
		if len(texts) == 0 {
			break
		}
		vectors, err := model.Embed(ctx, embed.Sentence, texts)
		if err != nil {
			return err
		}
		list := make([]index.Element, len(texts))
		for i, t := range texts {
			list[i] = index.Element{Text: t, Values: vectors[i]}
		}
		m.index.SetElements(a.elementModel, list)
	}
	var err error
	a.elements, err = model.Embed(ctx, embed.Sentence, situation)
	return err
}
