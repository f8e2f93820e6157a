// Package embedding follows the index with the models that are in use: it embeds what has no
// vector yet, slow models in the background, and embeds queries. It ranks nothing.
//
// The first model that has embedded (nearly) all memories serves queries; better ones catch up
// meanwhile. What a model cannot answer is a lexical search, and the answer says so.
package embedding

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
)

// Model is an embedder in use.
type Model struct {
	embed.Embedder
	// Instant models take microseconds for a text: the index embeds with them, and their
	// vectors are not kept in the store.
	Instant bool
	// Channel is the one that the model serves. Of each channel the first model that is ready
	// serves.
	Channel retrieve.Channel
	// Optional models improve answers that are complete without them: while they embed, nothing
	// is degraded.
	Optional bool
	// Timeout is how long a query waits for the model; 0 means [DefaultTimeout]. For one
	// that answered the last query a little later, it waits up to a second.
	Timeout time.Duration
	// Common is what the vectors of questions have in common: it says that the text is a question, and
	// draws what is a question itself or like any text. The vector of a query loses half of it. Its
	// length is below 1; nil: nothing.
	Common []float32
}

// Close releases what the embedder holds, if it holds anything.
func (m *Model) Close() error {
	if c, ok := m.Embedder.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Indexed returns what an index has to know of models when it is opened: all that it keeps
// vectors of, and the one that it embeds with itself, nil if none is instant. A model whose
// dimension is not known yet is added by the [Follower].
func Indexed(models []Model) (all []embed.Model, instant embed.Embedder) {
	for _, m := range models {
		if m.Model().Dimension == 0 {
			continue
		}
		all = append(all, m.Model())
		if m.Instant && instant == nil {
			instant = m.Embedder
		}
	}
	return all, instant
}

// DefaultTimeout is the default of [Model.Timeout].
const DefaultTimeout = 5 * time.Second

// maxExtraWait is the maximum time that a query waits in addition to the timeout, for a model
// that is known to be slow.
const maxExtraWait = time.Second

const (
	// A model serves queries while at most maxMissing memories, if it has missingMultiple
	// times as many, or maxMissingShare of all have no vector. Those are found lexically.
	maxMissing      = 16
	missingMultiple = 4
	maxMissingShare = .02
	// An optional model of the channel [retrieve.Semantic], beside which an instant one has embedded all memories, serves
	// earlier: from minEmbedded vectors on, if they are minEmbeddedShare of all. The cosines of the others are estimated. With the vectors of
	// a sixth and of half of 200 notes .769 and .774 of the answers come first, with the instant ones alone .769. In the channel
	// [retrieve.Multilingual] such estimates cost .03.
	minEmbedded      = 16
	minEmbeddedShare = .1

	firstRetry = time.Second
	maxRetry   = time.Minute
)

// Config wires a [Follower].
type Config struct {
	Store *store.Store
	Index *index.Index
	// Models are those in use, the preferred one first. The Follower closes them, unless they are Shared.
	Models []Model
	Shared bool
	// Degraded says which models are not available, and why.
	Degraded []string
	// OnBattery reports whether the machine runs on its battery; nil means never. Optional models
	// embed no more than a few memories then.
	OnBattery func(context.Context) bool
	// Brief: the process ends soon. Nothing is embedded in the background until [Settle] or [Follower.Embed] asks for it.
	Brief bool
	// Log receives errors of the background work; nil discards them.
	Log *slog.Logger
}

// Follower embeds memories and queries. It is safe for concurrent use.
type Follower struct {
	store    *store.Store
	index    *index.Index
	log      *slog.Logger
	models   []*modelState // the preferred one first
	degraded []string      // why other models are not available

	filling chan struct{} // a token: one search at a time embeds memories with instant models
	pace    *pace         // of the background work
	mode
	ctx     context.Context // of the background work
	stop    context.CancelFunc
	closing sync.Mutex     // held to start work, and to stop: none starts after the stop
	work    sync.WaitGroup // of the models that are not instant, and of queries
}

// mode is how a process embeds: [Config.Brief] and [Config.Shared].
type mode struct{ brief, shared bool }

// modelState is a model in use and its state.
type modelState struct {
	Model
	id   string
	wake chan struct{}
	mode
	// indexed: the index keeps vectors of it. Only its follower sets it.
	indexed bool
	// lease is shared by the optional models; every other model that is not instant has its own.
	lease    *lease
	progress progress

	mu      sync.Mutex
	follows bool          // its goroutine runs
	lastErr error         // the last one in the background
	hanging bool          // a query timed out and has not returned yet
	latency time.Duration // of the last query; 0 after an error
}

// Close releases what the model holds, unless others use it.
func (m *modelState) Close() error {
	if m.shared {
		return nil
	}
	return m.Model.Close()
}

// New returns a Follower. There is a goroutine for each model that is not instant while it has something to do.
func New(c Config) *Follower {
	f := &Follower{store: c.Store, index: c.Index, log: c.Log, degraded: c.Degraded, filling: make(chan struct{}, 1), pace: newPace(c.OnBattery), mode: mode{c.Brief, c.Shared}}
	optional := newLease(c.Store.Leases(), "")
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	for _, m := range c.Models {
		if m.Timeout == 0 {
			m.Timeout = DefaultTimeout
		}
		is := m.Model()
		state := &modelState{Model: m, id: is.ID, mode: mode{c.Brief, c.Shared}, wake: make(chan struct{}, 1), indexed: is.Dimension > 0, lease: optional}
		if !m.Optional {
			state.lease = newLease(c.Store.Leases(), is.ID)
		}
		if !state.indexed { // a query may come before the background work begins
			state.lastErr = errUnanswered
		}
		f.models = append(f.models, state)
	}
	f.ctx, f.stop = context.WithCancel(context.Background())
	for i := range f.models {
		follow(f, i, false)
	}
	return f
}

// start runs work in the background, unless the Follower is closed.
func (f *Follower) start(work func()) bool {
	f.closing.Lock()
	defer f.closing.Unlock()
	if f.ctx.Err() != nil {
		return false
	}
	f.work.Go(work)
	return true
}

// Close ends the background work, with the queries that models have not answered, and releases
// the models.
func (f *Follower) Close() error {
	f.closing.Lock()
	f.stop()
	f.closing.Unlock()
	f.work.Wait()
	var err error
	for i := range f.models {
		err = errors.Join(err, f.models[i].Close())
	}
	return err
}

// follow starts the goroutine of the i-th model, unless it runs or the model is instant.
func follow(f *Follower, i int, woken bool) {
	m := f.models[i]
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Instant || m.follows {
		return
	}
	select {
	case <-m.wake: // it begins now
	default:
	}
	m.follows = f.start(func() { followModel(f.ctx, f, i, woken) })
}

// rests reports whether nobody has woken a model meanwhile: its goroutine ends then.
func (m *modelState) rests() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.wake:
		return false
	default:
		m.follows = false
		return true
	}
}

// followModel embeds what the i-th model lacks, as long as no better one serves. woken: after a record, which nobody may search.
func followModel(ctx context.Context, f *Follower, i int, woken bool) {
	for m, wait := f.models[i], firstRetry; ; {
		err := f.index.Guard(func() error { return embedMissing(ctx, f, i, woken) })
		if ctx.Err() != nil {
			return
		}
		reportState(f, m, err)
		if err == nil {
			if m.rests() {
				return
			}
			wait, woken = firstRetry, true
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			if !errors.Is(err, embed.ErrNotReady) {
				wait = min(2*wait, maxRetry)
			}
		case <-m.wake:
			woken = true
		}
	}
}

// embedMissing embeds what the i-th model lacks now.
func embedMissing(ctx context.Context, f *Follower, i int, woken bool) error {
	if !works(f) {
		return nil
	}
	if woken {
		if err := f.index.CatchUp(ctx); err != nil {
			return err
		}
	}
	m := f.models[i]
	if best := f.serving(nil, m.Channel); best >= 0 && best < i {
		return nil
	}
	return fillMissing(ctx, f, m, storedBatch)
}

// works reports whether the background work goes on.
func works(f *Follower) bool {
	return !f.brief || f.pace.forced.Load() > 0 || f.pace.hurried.Load() > 0
}

// WakeOptional is [Follower.Wake] for the optional models alone: they are in the program, so nobody
// else is asked anything.
func (f *Follower) WakeOptional() { f.wake(func(m *modelState) bool { return m.Optional }) }

// Wake makes the background work check the index for memories without a vector.
func (f *Follower) Wake() { f.wake(func(*modelState) bool { return true }) }

func (f *Follower) wake(which func(*modelState) bool) {
	for i, m := range f.models {
		if !which(m) {
			continue
		}
		select {
		case m.wake <- struct{}{}:
		default:
		}
		follow(f, i, true)
	}
}

// reportState sets the last error of a model, nil for none, and logs it if it is new.
func reportState(f *Follower, m *modelState, err error) {
	before := m.lastError()
	m.mu.Lock()
	m.lastErr = err
	m.mu.Unlock()
	if err != nil && !errors.Is(err, embed.ErrNotReady) && (before == nil || before.Error() != err.Error()) {
		f.log.Warn("memories cannot be embedded", "model", m.id, "error", err)
	}
}

func (m *modelState) lastError() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lastErr
}

// errUnanswered is the state of an endpoint that has not returned a vector yet.
var errUnanswered = fmt.Errorf("%w: its endpoint has not answered yet", embed.ErrNotReady)

// learnDimension waits until the dimension of a model is known, and then adds the model to
// the index. Only an endpoint that was never used has an unknown dimension.
func learnDimension(ctx context.Context, f *Follower, m *modelState) error {
	if m.indexed {
		return nil
	}
	if w, ok := m.Embedder.(embed.Waiter); ok {
		if m.lastError() == nil {
			reportState(f, m, errUnanswered)
		}
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
	f.index.Vectors.Keep(m.Model.Model())
	m.indexed = true
	return nil
}

// readiness reports whether a model can serve queries of a scope, nil for all: its dimension is known, and enough memories of
// the scope have a vector. Partial: some have none.
func readiness(f *Follower, scope *hippo.Scope, m *modelState) (ready, partial bool) {
	if m.Model.Model().Dimension == 0 {
		return false, false
	}
	have, all := f.index.Vectors.Embedded(scope, m.id)
	missing := all - have
	ready = m.Instant || missing <= min(maxMissing, have/missingMultiple) || missing <= int(maxMissingShare*float64(all))
	if m.Optional && m.Channel == retrieve.Semantic {
		ready = ready || have >= minEmbedded && have >= int(minEmbeddedShare*float64(all))
	}
	return ready, missing > 0
}

func isReady(f *Follower, scope *hippo.Scope, m *modelState) bool {
	ready, _ := readiness(f, scope, m)
	return ready
}

// serving returns the number of the model that serves a channel of queries of a scope; -1 if there
// is none.
func (f *Follower) serving(scope *hippo.Scope, c retrieve.Channel) int {
	return slices.IndexFunc(f.models, func(m *modelState) bool { return m.Channel == c && isReady(f, scope, m) })
}

// Ready waits until the models are loaded; until then searches are lexical. It does not wait
// for a model whose dimension is unknown: that is behind an endpoint, which may hang. The error
// is that of loading, or of ctx.
func (f *Follower) Ready(ctx context.Context) error {
	for _, m := range f.models {
		if w, ok := m.Embedder.(embed.Waiter); ok && m.Model.Model().Dimension > 0 {
			if err := w.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
