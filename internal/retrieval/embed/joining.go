package embed

import (
	"context"
	"runtime"

	"github.com/hippo-memory/hippo/internal/base/batching"
)

// maxJoined is the number of calls that a [Joining] joins.
const maxJoined = 16

// Joining is an [Embedder] in front of a model whose weights take as long to read as a query takes to compute: queries
// that come while others are embedded wait, and are embedded together. Texts of other roles, which come many at a time,
// go straight to the model. The vector of a text must not depend on the texts beside it.
type Joining struct {
	inner   Embedder
	queries *batching.Queue[*joined]
}

// joined is a call under way.
type joined struct {
	ctx     context.Context //nolint:containedctx // it is that of a call
	texts   []string
	vectors [][]float32
	err     error
}

// NewJoining returns a Joining. Half of the processors embed queries at a time.
func NewJoining(inner Embedder) *Joining {
	return &Joining{inner: inner, queries: batching.New(runtime.GOMAXPROCS(0)/2, maxJoined, func(calls []*joined) { embedAll(inner, calls) })}
}

// Model returns the model of the inner Embedder.
func (j *Joining) Model() Model { return j.inner.Model() }

// Embed implements [Embedder].
func (j *Joining) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	if role != Query {
		return j.inner.Embed(ctx, role, texts)
	}
	c := &joined{ctx: ctx, texts: texts}
	j.queries.Do(c)
	if err := ctx.Err(); c.err == nil && err != nil {
		return nil, err // others have embedded it, but nobody waits for it
	}
	return c.vectors, c.err
}

// Close closes the inner Embedder if it is an [io.Closer].
func (j *Joining) Close() error { return closeEmbedder(j.inner) }

// embedAll embeds the texts of some calls at once, in the context of the first. If that fails, each is embedded by itself,
// so that none gets the error of another one.
func embedAll(inner Embedder, calls []*joined) {
	if len(calls) > 1 {
		var texts []string
		for _, c := range calls {
			texts = append(texts, c.texts...)
		}
		if vectors, err := inner.Embed(calls[0].ctx, Query, texts); err == nil && len(vectors) == len(texts) {
			for _, c := range calls {
				c.vectors, vectors = vectors[:len(c.texts):len(c.texts)], vectors[len(c.texts):]
			}
			return
		}
	}
	for _, c := range calls {
		c.vectors, c.err = inner.Embed(c.ctx, Query, c.texts)
	}
}
