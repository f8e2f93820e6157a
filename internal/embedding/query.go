package embedding

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/recall"
)

var errSlow = errors.New("no answer in time")

// Query implements [recall.Embedder]. The index is level with the store.
func (f *Follower) Query(ctx context.Context, scope *hippo.Scope, text string, situation []string) (recall.Vectors, error) {
	var v recall.Vectors
	if len(situation) > 0 {
		f.situation(ctx, situation, &v)
	}
	if text != "" {
		f.wakeAll()
		v.Degraded = append(v.Degraded, f.Degraded(scope)...)
		f.text(ctx, text, &v)
	}
	return v, ctx.Err()
}

// text embeds a query with the first model that can.
func (f *Follower) text(ctx context.Context, text string, v *recall.Vectors) {
	for _, m := range f.members {
		if !f.ready(m) {
			continue
		}
		err := m.paused()
		if err == nil && m.Instant {
			err = f.level(ctx, m)
		}
		var vectors [][]float32
		if err == nil {
			vectors, err = m.ask(ctx, text)
		}
		if err == nil {
			v.TextModel, v.Text = m.id, vectors[0]
			return
		}
		v.Degraded = append(v.Degraded, fmt.Sprintf("semantic search: model %s: %v", m.id, err))
	}
}

// ask embeds a query. A model that is too busy, or hangs, is not waited for, and not asked
// again for a second.
func (m *member) ask(ctx context.Context, text string) ([][]float32, error) {
	if m.Instant {
		return checked(ctx, m, embed.Query, []string{text})
	}
	limited, cancel := context.WithTimeoutCause(ctx, m.Timeout, errSlow)
	defer cancel()
	vectors, err := checked(limited, m, embed.Query, []string{text})
	if err == nil || !errors.Is(context.Cause(limited), errSlow) {
		return vectors, err
	}
	err = fmt.Errorf("%w: no answer within %v", hippo.ErrUnavailable, m.Timeout)
	m.mu.Lock()
	m.pausedTil = now().Add(firstRetry)
	m.mu.Unlock()
	return nil, err
}

// paused is the error of a model that has just failed to answer in time; nil if it may be
// asked.
func (m *member) paused() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now().Before(m.pausedTil) {
		return fmt.Errorf("%w: no answer within %v a moment ago", hippo.ErrUnavailable, m.Timeout)
	}
	return nil
}

// now measures pauses between questions; no result depends on it.
func now() time.Time { return time.Now() } //nolint:forbidigo // a pause, not the user's time

// situation embeds the situation of a query, and the situation elements in the index, with
// the instant model: elements are many short texts that come and go.
func (f *Follower) situation(ctx context.Context, situation []string, v *recall.Vectors) {
	i := slices.IndexFunc(f.members, func(m *member) bool { return m.Instant })
	if i < 0 {
		return
	}
	m := f.members[i]
	err := f.elements(ctx, m)
	if err == nil {
		v.Situation, err = checked(ctx, m, embed.Sentence, situation)
	}
	if err != nil {
		v.Situation = nil
		v.Degraded = append(v.Degraded, fmt.Sprintf("situations: model %s: %v", m.id, err))
		return
	}
	v.SituationModel = m.id
}

// elements embeds all situation elements in the index that have no vector.
func (f *Follower) elements(ctx context.Context, m *member) error {
	for {
		texts := f.index.Vectors.UnembeddedElements(m.id, instantBatch)
		if len(texts) == 0 {
			return nil
		}
		vectors, err := checked(ctx, m, embed.Sentence, texts)
		if err != nil {
			return err
		}
		list := make([]index.Element, len(texts))
		for i, t := range texts {
			list[i] = index.Element{Text: t, Values: vectors[i]}
		}
		f.index.Vectors.SetElements(m.id, list)
	}
}

// checked embeds texts, and refuses vectors that are not what they must be.
func checked(ctx context.Context, m *member, role embed.Role, texts []string) ([][]float32, error) {
	vectors, err := m.Embed(ctx, role, texts)
	if err != nil {
		return nil, err
	}
	return vectors, embed.Check(m.Model.Model(), len(texts), vectors)
}
