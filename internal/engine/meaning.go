package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
)

// Model is an embedder at work in an [Engine].
type Model struct {
	embed.Embedder
	// Instant models take microseconds for a text: their vectors are made when
	// they are needed, and not kept in the store.
	Instant bool
}

const (
	// A model answers although it has no vectors yet of this many memories, if it
	// has some times as many, or of this share of them: those are found by their
	// words until it has.
	slackCount = 16
	slackTimes = 4
	slackShare = .02
	retryFirst = time.Second
	retryMost  = time.Minute
)

// meaning keeps vectors of the memories in the index, and embeds queries. The
// first of its models that has embedded (nearly) all memories serves; the better
// ones catch up in the background.
type meaning struct {
	store   *store.Store
	index   *index.Index
	log     *slog.Logger
	models  []*member // the most wanted first
	missing []string  // why others are not among them

	announcing sync.Mutex

	inline sync.Mutex // instant models are followed by one search at a time
	stop   context.CancelFunc
	work   sync.WaitGroup // of the models that are not instant
}

// member is a model, and how it gets on.
type member struct {
	Model
	id   string
	poke chan struct{}
	// indexed says that the index keeps vectors of it; only its follower sets it.
	indexed bool

	mu  sync.Mutex
	err error // why it does not
}

// newMeaning starts a goroutine for each model that is not instant.
func newMeaning(c *Config, log *slog.Logger) *meaning {
	m := &meaning{store: c.Store, index: c.Index, log: log, missing: c.Degraded}
	for _, model := range c.Models {
		is := model.Model()
		l := &member{Model: model, id: is.ID, poke: make(chan struct{}, 1), indexed: is.Dimension > 0}
		if !l.indexed {
			l.err = errUnanswered
		}
		m.models = append(m.models, l)
	}
	m.announce()
	ctx, cancel := context.WithCancel(context.Background())
	m.stop = cancel
	for i, l := range m.models {
		if !l.Instant {
			m.work.Go(func() { m.follow(ctx, i) })
		}
	}
	return m
}

// announce makes the index keep vectors of the models whose dimension is known.
func (m *meaning) announce() {
	m.announcing.Lock()
	defer m.announcing.Unlock()
	var known []embed.Model
	for _, l := range m.models {
		if model := l.Model.Model(); model.Dimension > 0 {
			known = append(known, model)
		}
	}
	m.index.Embed(known...)
}

// errUnanswered is why a model whose dimension is not known does not serve.
var errUnanswered = fmt.Errorf("%w: its endpoint has not answered yet", embed.ErrNotReady)

// learn waits until the dimension of a model is known, and has the index keep its
// vectors from then on.
func (m *meaning) learn(ctx context.Context, l *member) error {
	if l.indexed {
		return nil
	}
	if w, ok := l.Embedder.(embed.Waiter); ok {
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
	m.announce()
	l.indexed = true
	return nil
}

// close ends the background work and releases the models.
func (m *meaning) close() error {
	m.stop()
	m.work.Wait()
	var err error
	for _, l := range m.models {
		if c, ok := l.Embedder.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}

// wake makes the background work look for what is to be embedded.
func (m *meaning) wake() {
	for _, l := range m.models {
		select {
		case l.poke <- struct{}{}:
		default:
		}
	}
}

// follow embeds in the background what the i-th model lacks, as long as no better
// one answers.
func (m *meaning) follow(ctx context.Context, i int) {
	l, wait := m.models[i], retryFirst
	for {
		var err error
		if best := m.serving(); best < 0 || best >= i {
			err = m.fill(ctx, l, slowBatch)
		}
		if ctx.Err() != nil {
			return
		}
		m.note(l, err)
		var again <-chan time.Time
		if err != nil {
			again = time.After(wait)
		} else {
			wait = retryFirst
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
			if !errors.Is(err, embed.ErrNotReady) {
				wait = min(2*wait, retryMost)
			}
		case <-l.poke:
		}
	}
}

// note remembers why a model does not get on; nil if it does.
func (m *meaning) note(l *member, err error) {
	before := l.trouble()
	l.mu.Lock()
	l.err = err
	l.mu.Unlock()
	if err != nil && !errors.Is(err, embed.ErrNotReady) && (before == nil || before.Error() != err.Error()) {
		m.log.Warn("memories cannot be embedded", "model", l.id, "error", err)
	}
}

// trouble is why a model does not get on.
func (l *member) trouble() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// answers reports whether a model can be asked: it knows its dimension, and has
// embedded all memories, or all but a few.
func (m *meaning) answers(l *member) bool {
	if l.Model.Model().Dimension == 0 {
		return false
	}
	have, all := m.index.Embedded(l.id)
	lack := all - have
	return l.Instant || lack <= min(slackCount, have/slackTimes) || lack <= int(slackShare*float64(all))
}

// serving returns the number of the model that is asked first; -1 if there is none.
func (m *meaning) serving() int { return slices.IndexFunc(m.models, m.answers) }

// degraded says what keeps the wanted model from answering.
func (m *meaning) degraded() []string {
	out := slices.Clone(m.missing)
	for _, l := range m.models {
		if m.answers(l) {
			break
		}
		have, all := m.index.Embedded(l.id)
		text := fmt.Sprintf("meaning: model %s has embedded %d of %d memories", l.id, have, all)
		if err := l.trouble(); err != nil {
			text += ": " + err.Error()
		}
		out = append(out, text)
	}
	return out
}

// status describes all models.
func (m *meaning) status() []ModelStatus {
	serving := m.serving()
	var out []ModelStatus
	for i, l := range m.models {
		s := ModelStatus{ID: l.id, Instant: l.Instant, Serves: i == serving}
		s.Embedded, s.Memories = m.index.Embedded(l.id)
		if err := l.trouble(); err != nil {
			s.Error = err.Error()
		}
		out = append(out, s)
	}
	return out
}
