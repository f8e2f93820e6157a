package index

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

const (
	// manyFresh is the number of memories of a batch from which on their vectors are looked up in the store. Fewer were
	// recorded just now, and no model has embedded them.
	manyFresh = 64
	// storedChunk is how many of them are looked up at a time.
	storedChunk = 512
)

// storedVectors returns the vectors that the store has of the memories of a batch, by the models that do not embed while
// memories are indexed. Documents have the order of the memories. What cannot be looked up is left to [Vectors.Set].
func storedVectors(ctx context.Context, o *Options, ms []*hippo.Memory) map[embed.Model]vectors {
	if o.Stored == nil || len(ms) < manyFresh {
		return nil
	}
	var models []embed.Model
	for _, m := range o.Models {
		if o.Instant == nil || m != o.Instant.Model() {
			models = append(models, m)
		}
	}
	if len(models) == 0 {
		return nil
	}
	out := make(map[embed.Model]vectors)
	for from := 0; from < len(ms); from += storedChunk {
		found, err := o.Stored(ctx, models, ms[from:min(from+storedChunk, len(ms))])
		if err != nil {
			o.Log.Debug("index: stored vectors cannot be read", "error", err)
			break
		}
		for k, m := range models {
			v := out[m]
			v.addStored(m, len(ms), uint32(from), found[k])
			out[m] = v
		}
	}
	return out
}

// addStored adds the vectors of consecutive documents, nil for those without one, to vectors that nobody reads yet. docs is
// the size of the segment.
func (v *vectors) addStored(model embed.Model, docs int, from uint32, list [][]float32) {
	n := 0
	for _, values := range list {
		if isWhole(values, model.Dimension) {
			n++
		}
	}
	switch {
	case n == 0:
		return
	case v.rowOf == nil:
		room := 0
		if n == len(list) { // then the others are likely to have one as well
			room = docs
		}
		v.table, v.rowOf, v.have = *vector.NewSized(model.Dimension, room), make([]uint32, docs), newDocSet(docs)
	}
	for i, values := range list {
		if !isWhole(values, model.Dimension) {
			continue
		}
		doc := from + uint32(i)
		v.rowOf[doc] = uint32(v.table.Len()) + 1
		for ; len(values) > 0; values = values[model.Dimension:] {
			v.table.Append(values[:model.Dimension])
			v.docOf = append(v.docOf, doc)
		}
		v.have.add(doc)
	}
}
