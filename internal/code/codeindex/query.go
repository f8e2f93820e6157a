package codeindex

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// queries embeds queries with the models of the chunks.
type queries struct {
	config *Config
	*generation
}

// Query implements [recall.Embedder]. By the encoder, if that has embedded nearly all chunks, and by the table beside it; else
// by the table alone.
func (q queries) Query(ctx context.Context, _ *hippo.Scope, text string, _ []string) (v recall.Vectors, err error) {
	if q.config.Model == nil || text == "" {
		return v, ctx.Err()
	}
	table, ok := embedQuery(ctx, q.config.Model, text)
	if !ok {
		v.Degraded = []string{"semantic search: the model does not answer"}
		return v, ctx.Err()
	}
	v.Text[retrieve.Semantic] = table
	ready, partial := q.encoded()
	if !ready {
		return v, ctx.Err()
	}
	if encoded, ok := embedQuery(ctx, q.config.Encoder, text); ok {
		encoded.Partial = partial
		v.Text[retrieve.Semantic], v.Text[retrieve.Multilingual] = encoded, table
	}
	return v, ctx.Err()
}

// embedQuery embeds a query; not ok: the model does not answer.
func embedQuery(ctx context.Context, m embed.Embedder, text string) (recall.Embedded, bool) {
	list, err := m.Embed(ctx, embed.Query, []string{text})
	if err != nil || len(list) != 1 {
		return recall.Embedded{}, false
	}
	return recall.Embedded{Values: slices.Clone(list[0]), Model: m.Model().ID}, true
}
