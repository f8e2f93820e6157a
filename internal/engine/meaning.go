package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Model is an embedder at work in an [Engine].
type Model struct {
	embed.Embedder
	// Instant models take microseconds for a text: their vectors are made when
	// they are needed, and not kept in the store.
	Instant bool
}

const (
	instantBatch = 256
	slowBatch    = 16
	// A model serves although it has no vectors yet of this many memories, or of
	// this share of them: those are found by their words until they have.
	slackCount = 16
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
	models  []Model  // the most wanted first
	missing []string // why others are not among them

	inline sync.Mutex // instant models are followed by one search at a time
	poke   chan struct{}
	stop   context.CancelFunc
	done   chan struct{}

	mu   sync.Mutex
	errs map[string]error // why a model does not get on, by ID
}

// newMeaning starts one goroutine if a model is not instant.
func newMeaning(c *Config, log *slog.Logger) *meaning {
	m := &meaning{
		store: c.Store, index: c.Index, log: log, models: c.Models, missing: c.Degraded,
		poke: make(chan struct{}, 1), done: make(chan struct{}), errs: make(map[string]error),
	}
	var all []embed.Model
	slow := false
	for _, model := range m.models {
		all = append(all, model.Model())
		slow = slow || !model.Instant
	}
	m.index.Embed(all...)
	ctx, cancel := context.WithCancel(context.Background())
	m.stop = cancel
	if !slow {
		close(m.done)
		return m
	}
	go m.work(ctx)
	m.wake()
	return m
}

// close ends the background work and releases the models.
func (m *meaning) close() error {
	m.stop()
	<-m.done
	var err error
	for _, model := range m.models {
		if c, ok := model.Embedder.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}

// wake makes the background work look for what is to be embedded.
func (m *meaning) wake() {
	select {
	case m.poke <- struct{}{}:
	default:
	}
}

// level embeds everything that an instant model lacks.
func (m *meaning) level(ctx context.Context, model Model) error {
	if have, all := m.index.Embedded(model.Model().ID); have == all {
		return nil
	}
	m.inline.Lock()
	defer m.inline.Unlock()
	return m.fill(ctx, model, instantBatch)
}

// work embeds in the background what slow models lack.
func (m *meaning) work(ctx context.Context) {
	defer close(m.done)
	wait := retryFirst
	for {
		var again <-chan time.Time
		if m.round(ctx) {
			wait = retryFirst
		} else {
			again = time.After(wait)
			wait = min(2*wait, retryMost)
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-m.poke:
		}
	}
}

// round brings all slow models level, and reports whether it could.
func (m *meaning) round(ctx context.Context) bool {
	fine := true
	for _, model := range m.models {
		if model.Instant {
			continue
		}
		err := m.fill(ctx, model, slowBatch)
		if ctx.Err() != nil {
			return true
		}
		m.note(model.Model().ID, err)
		fine = fine && err == nil
	}
	return fine
}

// note remembers why a model does not get on; nil if it does.
func (m *meaning) note(model string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.errs[model]
	m.errs[model] = err
	if err != nil && !errors.Is(err, embed.ErrNotReady) && (before == nil || before.Error() != err.Error()) {
		m.log.Warn("memories cannot be embedded", "model", model, "error", err)
	}
}

func (m *meaning) err(model string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.errs[model]
}

// fill embeds, batch by batch, what a model lacks.
func (m *meaning) fill(ctx context.Context, model Model, batch int) error {
	for {
		ids := m.index.Unembedded(model.Model().ID, batch)
		if len(ids) == 0 {
			return nil
		}
		n, err := m.embed(ctx, model, ids)
		if err != nil || n == 0 { // 0: they changed meanwhile; the next search comes back to them
			return err
		}
	}
}

// embed gives the index vectors of these memories, from the store or the model,
// and returns how many it took.
func (m *meaning) embed(ctx context.Context, model Model, ids []hippo.ID) (int, error) {
	ms, err := m.store.Get(ctx, ids)
	if err != nil {
		return 0, err
	}
	var ready []index.Vector
	if !model.Instant {
		if ready, ms, err = m.stored(ctx, model, ms); err != nil {
			return 0, err
		}
	}
	taken := m.index.SetVectors(model.Model().ID, ready)
	if len(ms) == 0 {
		return taken, nil
	}
	made, err := m.compute(ctx, model, ms)
	return taken + m.index.SetVectors(model.Model().ID, made), err
}

// compute embeds memories, and keeps the vectors in the store if they were dear.
func (m *meaning) compute(ctx context.Context, model Model, ms []*hippo.Memory) ([]index.Vector, error) {
	texts := make([]string, len(ms))
	for i, memory := range ms {
		texts[i] = memory.Content
	}
	vectors, err := model.Embed(ctx, embed.Passage, texts)
	if err == nil {
		err = embed.Check(model.Model(), len(texts), vectors)
	}
	if err != nil {
		return nil, err
	}
	made, kept := make([]index.Vector, len(ms)), make([]driver.Vector, len(ms))
	for i, memory := range ms {
		made[i] = index.Vector{ID: memory.ID, Text: index.TextOf(memory), Values: vectors[i]}
		kept[i] = driver.Vector{ID: memory.ID, Text: contentKey(memory), Values: vectors[i]}
	}
	if !model.Instant {
		// A store that cannot keep them is no reason not to use them.
		if err := m.store.PutVectors(ctx, model.Model().ID, kept); err != nil {
			m.log.Debug("vectors are not kept", "model", model.Model().ID, "error", err)
		}
	}
	return made, nil
}

// stored takes what the store has: those vectors, and the memories without one.
func (m *meaning) stored(ctx context.Context, model Model, ms []*hippo.Memory) ([]index.Vector, []*hippo.Memory, error) {
	ids := make([]hippo.ID, len(ms))
	for i, memory := range ms {
		ids[i] = memory.ID
	}
	kept, err := m.store.Vectors(ctx, model.Model().ID, ids)
	if err != nil {
		return nil, nil, err
	}
	by := make(map[hippo.ID]driver.Vector, len(kept))
	for _, v := range kept {
		by[v.ID] = v
	}
	var ready []index.Vector
	var rest []*hippo.Memory
	for _, memory := range ms {
		v, ok := by[memory.ID]
		if !ok || v.Text != contentKey(memory) || len(v.Values) != model.Model().Dimension {
			rest = append(rest, memory)
			continue
		}
		ready = append(ready, index.Vector{ID: memory.ID, Text: index.TextOf(memory), Values: v.Values})
	}
	return ready, rest, nil
}

// contentKey identifies the text that is embedded of a memory.
func contentKey(m *hippo.Memory) uint64 {
	sum := sha256.Sum256([]byte(m.Content))
	return binary.LittleEndian.Uint64(sum[:])
}
