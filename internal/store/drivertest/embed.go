package drivertest

import (
	"context"
	"maps"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// embed is a put of vectors of memories N of the pool, which V varies.
type embed struct {
	Model string
	N     []int
	V     int
}

// embedModels are those of the scripts.
func embedModels() []string { return []string{"a", "b"} }

func embeds() *rapid.Generator[embed] {
	return rapid.Custom(func(t *rapid.T) embed {
		return embed{
			Model: rapid.SampledFrom(embedModels()).Draw(t, "model"),
			N:     rapid.SliceOfN(rapid.IntRange(0, poolSize-1), 0, poolSize).Draw(t, "n"),
			V:     rapid.IntRange(0, 9).Draw(t, "v"),
		}
	})
}

func (e embed) vectors() []driver.Vector {
	var vs []driver.Vector
	for i, n := range e.N {
		vs = append(vs, vector(n, 3, 10*e.V+i))
	}
	return vs
}

func (e embed) play(ctx context.Context, b driver.Backend) error {
	return b.PutVectors(ctx, e.Model, e.vectors())
}

// embedded returns what b has for the pool.
func embedded(ctx context.Context, b driver.Backend) (map[string][]driver.Vector, error) {
	all := make(map[string][]driver.Vector)
	for _, model := range embedModels() {
		vs, err := b.Vectors(ctx, model, idRange(poolSize))
		if err != nil {
			return nil, err
		}
		if len(vs) > 0 {
			all[model] = vs
		}
	}
	return all, nil
}

// embeddings are the vectors of the plainest store, by model and memory.
type embeddings map[string]map[hippo.ID]driver.Vector

func (e embeddings) copy() embeddings {
	c := make(embeddings)
	for model, vs := range e {
		c[model] = maps.Clone(vs)
	}
	return c
}

// play does what a store does in which the memories exist.
func (e embeddings) play(one embed, exists func(hippo.ID) bool) {
	for _, v := range one.vectors() {
		if !exists(v.ID) {
			continue
		}
		if e[one.Model] == nil {
			e[one.Model] = make(map[hippo.ID]driver.Vector)
		}
		e[one.Model][v.ID] = v
	}
}

func (e embeddings) purge(id hippo.ID) {
	for _, vs := range e {
		delete(vs, id)
	}
}

// list returns what the store shows for the pool.
func (e embeddings) list() map[string][]driver.Vector {
	all := make(map[string][]driver.Vector)
	for model, vs := range e {
		for _, id := range idRange(poolSize) {
			if v, ok := vs[id]; ok {
				all[model] = append(all[model], v)
			}
		}
	}
	return all
}
