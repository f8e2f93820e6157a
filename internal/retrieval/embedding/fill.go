package embedding

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/passage"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// How many memories are embedded at a time.
const (
	instantBatch = 256
	slowBatch    = 16
	// briefBatch is small, so that a process that ends soon finishes it.
	briefBatch = 4
	// storedBatch is how many memories are looked up in the store at first, and manyStored how many at most: as long as all of
	// them have a vector there, the number grows.
	storedBatch = 64
	manyStored  = 2048
)

// manyEmbedded is the number of memories after which the memory of embedding is returned to the
// system: it is more than all else that the process has, and not needed again for long.
const manyEmbedded = 256

// fillInstant embeds the memories without a vector of an instant model. The index has embedded
// most of them itself.
func fillInstant(ctx context.Context, f *Follower, m *modelState) error {
	if have, all := f.index.Vectors.Embedded(nil, m.id); have == all {
		return nil
	}
	select {
	case f.filling <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-f.filling }()
	return fillMissing(ctx, f, m, instantBatch)
}

// fillMissing embeds, batch by batch, the memories without a vector of a model.
func fillMissing(ctx context.Context, f *Follower, m *modelState, batch int) error {
	if err := learnDimension(ctx, f, m); err != nil {
		return err
	}
	defer m.lease.release(ctx, m.id)
	embedded := 0
	defer func() {
		if embedded >= manyEmbedded && !m.Instant {
			debug.FreeOSMemory()
		}
	}()
	for stuck := false; ; {
		ids := f.index.Vectors.Unembedded(m.id, batch)
		if len(ids) == 0 {
			return nil
		}
		n, err := embedMemories(ctx, f, m, ids)
		embedded += n
		if !m.Instant {
			batch = nextBatch(batch, n)
		}
		switch {
		case errors.Is(err, errBattery), errors.Is(err, errElsewhere):
			if err := waitToEmbed(ctx, f, m, err); err != nil {
				return err
			}
		case err != nil:
			return err
		case n > 0:
			stuck = false
		case stuck:
			return nil // they keep changing; the next search tries again
		default: // the index does not know yet that they changed
			stuck = true
			if err := f.index.CatchUp(ctx); err != nil {
				return err
			}
		}
	}
}

// embedMemories adds vectors of these memories to the index, from the store or the model, and
// returns how many it accepted. The error is errBattery or errElsewhere if the model does not
// embed now.
func embedMemories(ctx context.Context, f *Follower, m *modelState, ids []hippo.ID) (int, error) {
	// With the lease, no other process adds vectors after they were looked up.
	mine := m.Instant || m.lease.take(ctx, m.id)
	ms, err := f.store.Get(ctx, ids)
	if err != nil {
		return 0, err
	}
	var kept []index.Vector
	if !m.Instant {
		if kept, ms, err = storedVectors(ctx, f, m, ms); err != nil {
			return 0, err
		}
	}
	taken := f.index.Vectors.Set(m.id, kept)
	switch {
	case len(ms) == 0 || taken > 0:
		return taken, nil
	case !mine:
		return 0, errElsewhere
	case waitsForPower(ctx, f, m):
		return 0, errBattery
	}
	computed, err := computeVectors(ctx, f, m, ms[:min(len(ms), m.batch())])
	return f.index.Vectors.Set(m.id, computed), err
}

// nextBatch returns how many memories are looked up after a batch, of which found had a vector in the store.
func nextBatch(batch, found int) int {
	if found < batch {
		return storedBatch
	}
	return min(4*batch, manyStored)
}

// waitsForPower reports whether a model does not embed because the machine runs on its battery.
// Some memories cost less than what answers lose without their vectors.
func waitsForPower(ctx context.Context, f *Follower, m *modelState) bool {
	if !m.Optional || !f.pace.saves(ctx) {
		return false
	}
	have, all := f.index.Vectors.Embedded(nil, m.id)
	return all-have > maxMissing
}

// computeVectors embeds memories, and stores the vectors of a model that is not instant.
func computeVectors(ctx context.Context, f *Follower, m *modelState, ms []*hippo.Memory) ([]index.Vector, error) {
	out, kept := make([]index.Vector, len(ms)), make([]driver.Vector, len(ms))
	var texts []string
	ends := make([]int, len(ms))
	for i, memory := range ms {
		texts = append(texts, m.passages(memory)...)
		ends[i] = len(texts)
	}
	start := now()
	vectors, err := embedInBatches(ctx, f, m, texts)
	if err != nil {
		return nil, err
	}
	m.progress.add(len(ms), now().Sub(start))
	from := 0
	for i, memory := range ms {
		own := vectors[from:ends[i]]
		out[i] = index.Vector{ID: memory.ID, Text: index.TextKey(memory), Values: slices.Concat(own...)}
		kept[i] = driver.Vector{ID: memory.ID, Text: TextKey(texts[from:ends[i]]), Values: own[0], More: slices.Concat(own[1:]...)}
		from = ends[i]
	}
	if !m.Instant {
		// The vectors are useful even if they cannot be stored.
		if err := f.store.Vectors().Put(ctx, m.id, kept); err != nil {
			f.log.Debug("vectors are not kept", "model", m.id, "error", err)
		}
	}
	return out, nil
}

// embedInBatches embeds texts, some at a time: between them queries pass. Models that are not
// needed for an answer take turns, so that together they take one core.
func embedInBatches(ctx context.Context, f *Follower, m *modelState, texts []string) ([][]float32, error) {
	var out [][]float32
	for some := range slices.Chunk(texts, m.batch()) {
		vectors, err := embedInTurn(ctx, f, m, some)
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	return out, nil
}

func embedInTurn(ctx context.Context, f *Follower, m *modelState, texts []string) ([][]float32, error) {
	if m.Optional {
		longest := longestPause
		if have, all := f.index.Vectors.Embedded(nil, m.id); all-have <= maxMissing {
			longest = longestFew
		}
		end, err := f.pace.begin(ctx, longest)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	return embedPassages(ctx, f, m, texts)
}

// passages returns the texts of a memory that the model embeds. The index embeds the content alone
// with instant models, whose vectors depend on single words.
func (m *modelState) passages(memory *hippo.Memory) []string {
	if m.Instant {
		return passage.Texts(memory.Content)
	}
	return passage.Of(memory)
}

// batch is the number of texts that the model embeds at a time.
func (m *modelState) batch() int {
	switch {
	case m.Instant:
		return instantBatch
	case m.brief:
		return briefBatch
	default:
		return slowBatch
	}
}

// probe is a text that every model accepts.
const probe = "test"

// embedPassages embeds texts. If the model rejects some texts and accepts others, the rejected
// ones get a zero vector: they are found lexically. A model that rejects all of them is asked for
// the probe, to distinguish a broken one from texts that are all too long.
func embedPassages(ctx context.Context, f *Follower, m *modelState, texts []string) ([][]float32, error) {
	out, refused := checked(ctx, m, embed.Passage, texts)
	if !errors.Is(refused, hippo.ErrInvalid) {
		return out, refused
	}
	out = make([][]float32, len(texts))
	works := false
	for i, t := range texts {
		v, err := [][]float32(nil), refused
		if len(texts) > 1 {
			v, err = checked(ctx, m, embed.Passage, []string{t})
		}
		switch {
		case err == nil:
			out[i], works = v[0], true
		case errors.Is(err, hippo.ErrInvalid):
			out[i] = make([]float32, m.Model.Model().Dimension)
			f.log.Debug("a text is not embedded", "model", m.id, "error", err)
		default:
			return nil, err
		}
	}
	if !works {
		if _, err := checked(ctx, m, embed.Passage, []string{probe}); err != nil {
			return nil, refused
		}
	}
	return out, nil
}

// LoadStored adds vectors that other processes have stored to the index, so that a status counts
// them. The background work does the same, a little later.
func (f *Follower) LoadStored(ctx context.Context) error {
	for _, m := range f.models {
		if m.Instant {
			continue
		}
		for taken, batch := 1, storedBatch; taken > 0; batch = nextBatch(batch, taken) {
			ms, err := f.store.Get(ctx, f.index.Vectors.Unembedded(m.id, batch))
			if err != nil {
				return err
			}
			kept, _, err := storedVectors(ctx, f, m, ms)
			if err != nil {
				return err
			}
			taken = f.index.Vectors.Set(m.id, kept)
		}
	}
	return nil
}

// EmbedInstant embeds the memories without a vector of the instant models, so that no search
// has to. The next search retries after an error, and reports it.
func (f *Follower) EmbedInstant(ctx context.Context) {
	for _, m := range f.models {
		if !m.Instant {
			continue
		}
		if err := fillInstant(ctx, f, m); err != nil {
			f.log.Debug("memories are not embedded", "model", m.id, "error", err)
		}
	}
}

// pollEvery is the interval of progress reports.
const pollEvery = 100 * time.Millisecond

// Embed waits until the preferred model of each channel has embedded all memories, and calls
// progress meanwhile. The error is that of the model, or of ctx; vectors computed so far are kept.
// The index must be up to date with the store.
func (f *Follower) Embed(ctx context.Context, progress func(embedded, memories int)) error {
	f.pace.forced.Add(1)
	defer f.pace.forced.Add(-1)
	for c := range retrieve.Channels {
		i := slices.IndexFunc(f.models, func(m *modelState) bool { return m.Channel == c })
		if i < 0 {
			continue
		}
		if err := embedAll(ctx, f, f.models[i], progress); err != nil {
			return err
		}
	}
	return nil
}

// embedAll waits until a model has embedded all memories.
func embedAll(ctx context.Context, f *Follower, m *modelState, progress func(embedded, memories int)) error {
	if m.Instant {
		return fillInstant(ctx, f, m)
	}
	reportState(f, m, nil) // retry after an earlier error
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		have, all := f.index.Vectors.Embedded(nil, m.id)
		progress(have, all)
		if have == all {
			return nil
		}
		if err := m.lastError(); err != nil && !errors.Is(err, embed.ErrNotReady) {
			return err
		}
		f.Wake()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
