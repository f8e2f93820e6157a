package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// How many memories are embedded at a time.
const (
	instantBatch = 256
	slowBatch    = 16
)

// level embeds everything that an instant model lacks.
func (m *meaning) level(ctx context.Context, l *member) error {
	if have, all := m.index.Embedded(l.id); have == all {
		return nil
	}
	m.inline.Lock()
	defer m.inline.Unlock()
	return m.fill(ctx, l, instantBatch)
}

// prepare embeds what instant models lack, so that no search has to. What fails here
// the next search tries again, and tells.
func (m *meaning) prepare(ctx context.Context) {
	if err := m.index.CatchUp(ctx); err != nil {
		return
	}
	for _, l := range m.models {
		if !l.Instant {
			continue
		}
		if err := m.level(ctx, l); err != nil {
			m.log.Debug("what was imported is not embedded", "model", l.id, "error", err)
		}
	}
}

// fill embeds, batch by batch, what a model lacks.
func (m *meaning) fill(ctx context.Context, l *member, batch int) error {
	if err := m.learn(ctx, l); err != nil {
		return err
	}
	for stuck := false; ; {
		ids := m.index.Unembedded(l.id, batch)
		if len(ids) == 0 {
			return nil
		}
		n, err := m.embed(ctx, l, ids)
		switch {
		case err != nil:
			return err
		case n > 0:
			stuck = false
		case stuck:
			return nil // they keep changing; the next search comes back to them
		default: // the index does not know that they changed
			stuck = true
			if err := m.index.CatchUp(ctx); err != nil {
				return err
			}
		}
	}
}

// embed gives the index vectors of these memories, from the store or the model,
// and returns how many it took.
func (m *meaning) embed(ctx context.Context, l *member, ids []hippo.ID) (int, error) {
	ms, err := m.store.Get(ctx, ids)
	if err != nil {
		return 0, err
	}
	var ready []index.Vector
	if !l.Instant {
		if ready, ms, err = m.stored(ctx, l, ms); err != nil {
			return 0, err
		}
	}
	taken := m.index.SetVectors(l.id, ready)
	if len(ms) == 0 {
		return taken, nil
	}
	made, err := m.compute(ctx, l, ms)
	return taken + m.index.SetVectors(l.id, made), err
}

// compute embeds memories, and keeps the vectors in the store if they were dear.
func (m *meaning) compute(ctx context.Context, l *member, ms []*hippo.Memory) ([]index.Vector, error) {
	texts := make([]string, len(ms))
	for i, memory := range ms {
		texts[i] = memory.Content
	}
	vectors, err := m.vectors(ctx, l, texts)
	if err != nil {
		return nil, err
	}
	made, kept := make([]index.Vector, len(ms)), make([]driver.Vector, len(ms))
	for i, memory := range ms {
		made[i] = index.Vector{ID: memory.ID, Text: index.TextOf(memory), Values: vectors[i]}
		kept[i] = driver.Vector{ID: memory.ID, Text: contentKey(memory), Values: vectors[i]}
	}
	if !l.Instant {
		// A store that cannot keep them is no reason not to use them.
		if err := m.store.PutVectors(ctx, l.id, kept); err != nil {
			m.log.Debug("vectors are not kept", "model", l.id, "error", err)
		}
	}
	return made, nil
}

// vectors embeds texts. Those that the model refuses, while it takes others, get
// a vector of zeros: they are found by their words.
func (m *meaning) vectors(ctx context.Context, l *member, texts []string) ([][]float32, error) {
	out, err := checked(ctx, l, embed.Passage, texts)
	if !errors.Is(err, hippo.ErrInvalid) || len(texts) == 1 {
		return out, err
	}
	out = make([][]float32, len(texts))
	taken := 0
	for i, t := range texts {
		switch v, err := checked(ctx, l, embed.Passage, []string{t}); {
		case err == nil:
			out[i] = v[0]
			taken++
		case errors.Is(err, hippo.ErrInvalid):
			out[i] = make([]float32, l.Model.Model().Dimension)
			m.log.Debug("a text is not embedded", "model", l.id, "error", err)
		default:
			return nil, err
		}
	}
	if taken == 0 {
		return nil, err
	}
	return out, nil
}

// checked embeds texts, and refuses vectors that are not what they must be.
func checked(ctx context.Context, l *member, role embed.Role, texts []string) ([][]float32, error) {
	vectors, err := l.Embed(ctx, role, texts)
	if err != nil {
		return nil, err
	}
	return vectors, embed.Check(l.Model.Model(), len(texts), vectors)
}

// stored takes what the store has: those vectors, and the memories without one.
func (m *meaning) stored(ctx context.Context, l *member, ms []*hippo.Memory) ([]index.Vector, []*hippo.Memory, error) {
	ids := make([]hippo.ID, len(ms))
	for i, memory := range ms {
		ids[i] = memory.ID
	}
	kept, err := m.store.Vectors(ctx, l.id, ids)
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
		if !ok || v.Text != contentKey(memory) || len(v.Values) != l.Model.Model().Dimension {
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
