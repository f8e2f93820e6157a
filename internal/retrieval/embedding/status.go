package embedding

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Errors of a model as they are reported to callers without [hippo.RightAdmin]: its own text may
// quote a memory of another scope.
var (
	errFailed   = errors.New("the model failed")
	errNotReady = errors.New("the model is not ready")
)

// reportable returns an error of a model, without details unless the caller may see them.
func reportable(scope *hippo.Scope, err error) error {
	switch {
	case err == nil || scope.Allows(hippo.RightAdmin):
		return err
	case errors.Is(err, embed.ErrNotReady):
		return errNotReady
	default:
		return errFailed
	}
}

// Queue is how many memories wait for a vector of a model.
type Queue struct {
	// Model is the ID of [embed.Model].
	Model   string
	Waiting int
}

// Queues returns the queues of all scopes together, the preferred model first.
func Queues(f *Follower) []Queue {
	out := make([]Queue, 0, len(f.models))
	for _, m := range f.models {
		have, all := f.index.Vectors.Embedded(nil, m.id)
		out = append(out, Queue{m.id, all - have})
	}
	return out
}

// Degraded says which vectors of a scope are missing, of the models of the channel [retrieve.Semantic] from the preferred one to
// the one that has all, else of the optional model that is furthest behind; empty if none is.
func (f *Follower) Degraded(scope *hippo.Scope) []string {
	out := slices.Clone(f.degraded)
	for _, m := range behind(f, scope) {
		have, all := f.index.Vectors.Embedded(scope, m.id)
		text := fmt.Sprintf("semantic search: model %s has embedded %d of %d memories", m.id, have, all)
		if err := m.lastError(); err != nil {
			text += ": " + reportable(scope, err).Error()
		}
		out = append(out, text)
	}
	return out
}

// behind lists the models that [Follower.Degraded] names.
func behind(f *Follower, scope *hippo.Scope) (out []*modelState) {
	var optional []*modelState
	most, complete := 0, false
	for _, m := range f.models {
		have, all := f.index.Vectors.Embedded(scope, m.id)
		switch missing := all - have; {
		case m.Optional && missing > most:
			most, optional = missing, []*modelState{m}
		case m.Optional || m.Channel != retrieve.Semantic || complete:
		case m.Instant || missing == 0:
			complete = true
		default:
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return optional
	}
	return out
}

// Status describes all models, the preferred one first, with counts of a scope.
func (f *Follower) Status(scope *hippo.Scope) []api.ModelStatus {
	var out []api.ModelStatus
	for i, m := range f.models {
		s := api.ModelStatus{ID: m.id, Instant: m.Instant, Serving: i == f.serving(scope, m.Channel), Err: reportable(scope, m.lastError())}
		s.Embedded, s.Memories = f.index.Vectors.Embedded(scope, m.id)
		if missing := s.Memories - s.Embedded; missing > 0 && !m.Instant {
			s.Progress = progressOf(f, m, missing)
		}
		out = append(out, s)
	}
	return out
}

// progressOf describes the background work of a model that lacks some memories.
func progressOf(f *Follower, m *modelState, missing int) api.Progress {
	if !works(f) && !m.lease.elsewhere(f.ctx) {
		return api.Progress{Paused: "no process embeds now"}
	}
	p := api.Progress{Rate: m.progress.rate()}
	if p.Rate > 0 {
		p.Remaining = time.Duration(float64(missing) / p.Rate * float64(time.Second))
	}
	switch {
	case waitsForPower(f.ctx, f, m):
		p.Paused = errBattery.Error()
	case m.Optional && f.pace.busy.any():
		p.Paused = "searches run"
	}
	return p
}

// Steady returns the IDs of the models of a channel whose vectors can be compared at any time: instant
// ones first, which have those of all memories, then the others in their order.
func (f *Follower) Steady(c retrieve.Channel) (ids []string) {
	for _, instant := range []bool{true, false} {
		for _, m := range f.models {
			if m.Channel == c && m.Instant == instant {
				ids = append(ids, m.id)
			}
		}
	}
	return ids
}
