package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/passage"
	"github.com/hippo-memory/hippo/internal/store"
)

// Stored returns the function of [index.Options.Stored] for a store: it reads what models that are not instant have stored.
func Stored(s *store.Store, models []Model) func(context.Context, []embed.Model, []*hippo.Memory) ([][][]float32, error) {
	return func(ctx context.Context, asked []embed.Model, ms []*hippo.Memory) ([][][]float32, error) {
		out := make([][][]float32, len(asked))
		keys := storedKeys(ms)
		for k, m := range asked {
			out[k] = make([][]float32, len(ms))
			if slices.ContainsFunc(models, func(o Model) bool { return o.Instant && o.Model() == m }) {
				continue
			}
			if err := readStored(ctx, s, m, ms, keys, out[k]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// storedVectors returns the vectors in the store, and the memories without one.
func storedVectors(ctx context.Context, f *Follower, m *modelState, ms []*hippo.Memory) (found []index.Vector, rest []*hippo.Memory, err error) {
	values := make([][]float32, len(ms))
	if err := readStored(ctx, f.store, m.Model.Model(), ms, storedKeys(ms), values); err != nil {
		return nil, nil, err
	}
	for i, memory := range ms {
		if values[i] == nil {
			rest = append(rest, memory)
		} else {
			found = append(found, index.Vector{ID: memory.ID, Text: index.TextKey(memory), Values: values[i]})
		}
	}
	return found, rest, nil
}

// storedKey identifies the texts of a memory that are embedded.
type storedKey struct {
	text     uint64
	passages int
}

func storedKeys(ms []*hippo.Memory) []storedKey {
	out := make([]storedKey, len(ms))
	for i, m := range ms {
		texts := passage.Of(m)
		out[i] = storedKey{TextKey(texts), len(texts)}
	}
	return out
}

// readStored sets the elements of out to the vectors in the store, those of the passages of a memory one after the other.
// Memories have the keys; those without a vector of their text are left out.
func readStored(ctx context.Context, s *store.Store, m embed.Model, ms []*hippo.Memory, keys []storedKey, out [][]float32) error {
	ids, at := make([]hippo.ID, len(ms)), make(map[hippo.ID]int, len(ms))
	for i, memory := range ms {
		ids[i], at[memory.ID] = memory.ID, i
	}
	kept, err := s.Vectors().Get(ctx, m.ID, ids)
	if err != nil {
		return err
	}
	for _, v := range kept {
		i := at[v.ID]
		if key := keys[i]; v.Text != key.text || len(v.Values) != m.Dimension || len(v.Values)+len(v.More) != key.passages*m.Dimension {
			continue
		}
		out[i] = v.Values
		if len(v.More) > 0 {
			out[i] = slices.Concat(v.Values, v.More)
		}
	}
	return nil
}

// TextKey is a hash of the texts of a memory that are embedded.
func TextKey(texts []string) uint64 {
	h := sha256.New()
	for _, t := range texts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(t))))
		io.WriteString(h, t) //nolint:errcheck // a hash returns no error
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
