package embedding

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Query implements [recall.Embedder]. The index must be up to date with the store.
func (f *Follower) Query(ctx context.Context, scope *hippo.Scope, text string, situation []string) (recall.Vectors, error) {
	var v recall.Vectors
	if len(situation) > 0 {
		querySituation(ctx, f, scope, situation, &v)
	}
	if text != "" {
		f.Wake()
		v.Degraded = append(v.Degraded, f.Degraded(scope)...)
		defer f.Searching()()
		queryText(ctx, f, scope, text, &v)
	}
	return v, ctx.Err()
}

// Searching holds the background work of optional models up until the caller calls the function
// that it returns, at the end of a search.
func (f *Follower) Searching() (end func()) {
	f.pace.busy.begin()
	return f.pace.busy.end
}

// Recording is [Follower.Searching] for a record: the background work goes on sooner after it.
func Recording(f *Follower) (end func()) {
	f.pace.records.begin()
	return f.pace.records.end
}

// queryText embeds a query with a model of each channel, all at the same time: a search waits
// for the slowest, and not for one after the other.
func queryText(ctx context.Context, f *Follower, scope *hippo.Scope, text string, v *recall.Vectors) {
	var degraded [retrieve.Channels][]string
	var group sync.WaitGroup
	for c := range v.Text {
		group.Go(func() { v.Text[c], degraded[c] = queryChannel(ctx, f, scope, text, retrieve.Channel(c)) })
	}
	group.Wait()
	if v.Text[retrieve.Semantic].Partial || v.Text[retrieve.Multilingual].Partial {
		v.Text[retrieve.Instant] = Instant(ctx, f, text)
	}
	v.Degraded = slices.Concat(v.Degraded, slices.Concat(degraded[:]...))
}

// queryChannel embeds a query with the first model of a channel that can, and lists those that
// could not.
func queryChannel(ctx context.Context, f *Follower, scope *hippo.Scope, text string, c retrieve.Channel) (e recall.Embedded, degraded []string) {
	for _, m := range f.models {
		ready, partial := readiness(f, scope, m)
		if m.Channel != c || !ready {
			continue
		}
		var err error
		if m.Instant {
			err = fillInstant(ctx, f, m)
		}
		var vectors [][]float32
		if err == nil {
			vectors, err = askModel(ctx, f, m, text)
		}
		if err == nil {
			return recall.Embedded{Values: without(vectors[0], m.Common), Model: m.id, Space: m.Embedder.Model().Space, Partial: partial}, degraded
		}
		degraded = append(degraded, fmt.Sprintf("semantic search: model %s: %v", m.id, reportable(scope, err)))
	}
	return e, degraded
}

// Instant embeds a text with the instant model, in some microseconds; the zero value if there is none, or it does not answer.
func Instant(ctx context.Context, f *Follower, text string) (e recall.Embedded) {
	i := slices.IndexFunc(f.models, func(m *modelState) bool { return m.Instant })
	if i < 0 || fillInstant(ctx, f, f.models[i]) != nil {
		return e
	}
	vectors, err := askModel(ctx, f, f.models[i], text)
	if err != nil {
		return e
	}
	return recall.Embedded{Values: vectors[0], Model: f.models[i].id}
}

// commonShare is how much of what queries have in common they lose. On the development halves, all of
// it finds as much across languages, but hit@1 of REALTALK is .008 lower.
const commonShare = .5

// without returns v less the share of common, at length 1: a new vector, or v itself if nothing would
// be left of it or common is nil. Both have the same length.
func without(v, common []float32) []float32 {
	if common == nil {
		return v
	}
	rest := make([]float32, len(v))
	sum := 0.0
	for i := range v {
		rest[i] = v[i] - commonShare*common[i]
		sum += float64(rest[i]) * float64(rest[i])
	}
	if sum < tiny {
		return v
	}
	by := float32(1 / math.Sqrt(sum))
	for i := range rest {
		rest[i] *= by
	}
	return rest
}

// tiny is the square of a length below which a vector has no direction.
const tiny = 1e-6

// queryResult is the result of a query to a model.
type queryResult struct {
	vectors [][]float32
	err     error
}

// askModel embeds a query, with a timeout. After the timeout the model continues in the
// background, so that the same query later hits the cache; until it returns, other queries
// do not use it.
func askModel(ctx context.Context, f *Follower, m *modelState, text string) ([][]float32, error) {
	if m.Instant {
		return checked(ctx, m, embed.Query, []string{text})
	}
	patience, err := m.begin()
	if err != nil {
		return nil, err
	}
	done := make(chan queryResult, 1)
	started := f.start(func() {
		limited, cancel := context.WithTimeout(f.ctx, DefaultTimeout)
		defer cancel()
		start := now()
		vectors, err := checked(limited, m, embed.Query, []string{text})
		m.end(now().Sub(start), err)
		done <- queryResult{vectors, err}
	})
	if !started {
		return nil, fmt.Errorf("%w: the memory is closed", hippo.ErrUnavailable)
	}
	select {
	case o := <-done:
		return o.vectors, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(patience):
		m.giveUp()
		return nil, fmt.Errorf("%w: no answer within %v", hippo.ErrUnavailable, patience)
	}
}

// begin returns the timeout of a query, extended to the latency of the last one, by at most
// maxExtraWait. The error is that of a model that hangs.
func (m *modelState) begin() (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hanging {
		return 0, fmt.Errorf("%w: it has not answered yet", hippo.ErrUnavailable)
	}
	return max(m.Timeout, min(2*m.latency, maxExtraWait)), nil
}

// giveUp records that a query timed out.
func (m *modelState) giveUp() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hanging = true
}

// end records that a query has returned, and its latency.
func (m *modelState) end(took time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hanging, m.latency = false, took
	if err != nil {
		m.latency = 0
	}
}

// now measures how long an answer takes; no result depends on it.
func now() time.Time { return time.Now() } //nolint:forbidigo // a duration, not the user's time

// querySituation embeds the situation of a query, and the situation elements in the index, with
// the instant model: elements are many short texts that come and go.
func querySituation(ctx context.Context, f *Follower, scope *hippo.Scope, situation []string, v *recall.Vectors) {
	i := slices.IndexFunc(f.models, func(m *modelState) bool { return m.Instant })
	if i < 0 {
		return
	}
	m := f.models[i]
	err := embedElements(ctx, f, m)
	if err == nil {
		v.Situation, err = checked(ctx, m, embed.Sentence, situation)
	}
	if err != nil {
		v.Situation = nil
		v.Degraded = append(v.Degraded, fmt.Sprintf("situations: model %s: %v", m.id, reportable(scope, err)))
		return
	}
	v.SituationModel = m.id
}

// embedElements embeds all situation elements in the index that have no vector.
func embedElements(ctx context.Context, f *Follower, m *modelState) error {
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

// checked embeds texts, and rejects vectors of a wrong number, length or norm.
func checked(ctx context.Context, m *modelState, role embed.Role, texts []string) ([][]float32, error) {
	vectors, err := m.Embed(ctx, role, texts)
	if err != nil {
		return nil, err
	}
	return vectors, embed.Check(m.Model.Model(), len(texts), vectors)
}
