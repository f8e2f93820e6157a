package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/passage"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/lab/capacity/model"
	"github.com/hippo-memory/hippo/lab/database"
)

// basis is what a model has made of some notes.
type basis struct {
	name    string
	vectors [][]float32
}

// memory returns the i-th memory of a tenant, whose first note has the number from. It is as old as its place says.
func (b *bench) memory(namespace string, from, i, n int) *hippo.Memory {
	text, _, _ := b.notes.text(from + i)
	k := uint64(from + i)
	return &hippo.Memory{
		ID: hippo.ID{1, byte(k >> 24), byte(k >> 16), byte(k >> 8), byte(k), 15: 1}, Content: text, Namespace: namespace, Trust: hippo.TrustNormal,
		Importance: hippo.Importance{Base: .5, Value: .5}, CreatedAt: time.Now().Add(-time.Duration(n-i) * 365 * 24 * time.Hour / time.Duration(n)),
	}
}

// fill imports n notes, starting with number from.
func (b *bench) fill(ctx context.Context, all *app.Tenants, namespace string, from, n int) (*engine.Engine, error) {
	e, err := all.Of(ctx, namespace)
	if err != nil {
		return nil, err
	}
	entries := func(yield func(*hippo.Memory, error) bool) {
		for i := range n {
			if !yield(b.memory(namespace, from, i, n), nil) {
				return
			}
		}
	}
	r, err := transfer.New(database.In(e, namespace)).Import(ctx, hippo.Calendar{}, entries, nil)
	if err == nil && r.Added < n-n/20 { // some look as if they contained a secret
		err = fmt.Errorf("imported %d of %d: %v", r.Added, n, r.Rejected)
	}
	return e, err
}

// warm makes a few small tenants, which are opened before what is measured.
func (b *bench) warm(ctx context.Context) error {
	all, err := b.tenants("fill", config.Static, false)
	for i := range 4 {
		if err == nil {
			_, err = b.fill(ctx, all, fmt.Sprint("warm-", i), 100*i, 100)
		}
	}
	return errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
}

// embed measures the encoders on n notes, and keeps the vectors.
func (b *bench) embed(ctx context.Context, n int) error {
	all, err := b.tenants("basis", config.Builtin, false)
	if err != nil {
		return err
	}
	for _, size := range []int{n / 100, n / 10, n} {
		name := fmt.Sprint("basis-", size)
		c, err := b.cost(ctx, func() error {
			e, err := b.fill(ctx, all, name, 0, size)
			if err == nil {
				err = database.In(e, name).Embed(ctx, func(int, int) {})
			}
			return err
		})
		if err != nil {
			return errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
		}
		b.add(model.EmbedNode, config.Builtin, size, c.node/float64(size))
		if e, err := all.Of(ctx, name); err == nil {
			_ = upkeep.Scored(ctx, database.In(e, name)) // nothing is left for what is measured next
		}
	}
	err = b.readBasis(ctx, all, fmt.Sprint("basis-", n), n)
	return errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
}

func (b *bench) readBasis(ctx context.Context, all *app.Tenants, name string, n int) error {
	e, err := all.Of(ctx, name)
	if err != nil {
		return err
	}
	ids := make([]hippo.ID, n)
	for i := range ids {
		ids[i] = b.memory(name, 0, i, n).ID
	}
	models, err := e.Store.Vectors().Models(ctx)
	for _, m := range models {
		vs, getErr := e.Store.Vectors().Get(ctx, m.Name, ids)
		err = errors.Join(err, getErr)
		list := basis{name: m.Name}
		for _, v := range vs {
			list.vectors = append(list.vectors, v.Values)
		}
		if len(list.vectors) == 0 {
			return fmt.Errorf("%s has no vectors", m.Name)
		}
		b.basis = append(b.basis, list)
	}
	return err
}

// mixed stores vectors of a tenant's memories without embedding them: each is a mixture of those of two notes, and noise.
func (b *bench) mixed(ctx context.Context, e *engine.Engine, namespace string, from, n int) error {
	r := rand.New(rand.NewPCG(uint64(from), uint64(n)))
	for _, m := range b.basis {
		for chunk := range slices.Chunk(slices.Collect(upTo(n)), 500) {
			vs := make([]driver.Vector, len(chunk))
			for k, i := range chunk {
				x := b.memory(namespace, from, i, n)
				_, first, second := b.notes.text(from + i)
				texts := passage.Of(x)
				vs[k] = driver.Vector{ID: x.ID, Text: embedding.TextKey(texts), Values: mixture(r, m.vectors, first, second)}
				for range texts[1:] {
					vs[k].More = append(vs[k].More, mixture(r, m.vectors, second, first)...)
				}
			}
			if err := e.Store.Vectors().Put(ctx, m.name, vs); err != nil {
				return err
			}
		}
	}
	return nil
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func mixture(r *rand.Rand, of [][]float32, first, second int) []float32 {
	a, b := of[first%len(of)], of[second%len(of)]
	out, sum := make([]float32, len(a)), 0.
	noise := .5 / math.Sqrt(float64(len(a)))
	for i := range out {
		v := .7*float64(a[i]) + .4*float64(b[i]) + noise*r.NormFloat64()
		out[i] = float32(v)
		sum += v * v
	}
	for i := range out {
		out[i] /= float32(math.Sqrt(sum))
	}
	return out
}
