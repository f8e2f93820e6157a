package recall

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Searcher answers queries over an index. It is safe for concurrent use.
type Searcher struct {
	index     retrieve.Retriever
	relations Relations
	embedder  Embedder
	instant   func(ctx context.Context, text string) Embedded
	hybrid    Hybrid
	now       func() time.Time // in the user's zone
	model     model
	claims    *claimCache
}

// model is the parameters of the rankers.
type model struct {
	weights *rank.Weights
	decay   *rank.Decay
	scorer  *rank.Scorer
	tokens  embed.TokenEmbedder // nil: nothing is reranked
	// analyzer cuts the sentences of hits into terms.
	analyzer bm25.Analyzer
}

// Relations are the relations between memories.
type Relations interface {
	// Relations returns those with one of ids at either end that lie in scope and hold at a
	// time, of each ID the limit strongest, with their weights of then.
	Relations(ctx context.Context, scope hippo.Scope, ids []hippo.ID, at time.Time, limit int) ([]hippo.Relation, error)
}

// Embedder embeds queries.
type Embedder interface {
	// Query returns the vectors of a query and of its situation, and the models that are not
	// available, as far as a caller with this scope may know. Texts without a vector are
	// searched lexically. The error is that of ctx.
	Query(ctx context.Context, scope *hippo.Scope, text string, situation []string) (Vectors, error)
}

// Vectors are the embeddings of a query.
type Vectors struct {
	// Text is of the text, by channel.
	Text [retrieve.Channels]Embedded
	// Situation are of the elements of the situation, by SituationModel.
	Situation      [][]float32
	SituationModel string
	// Degraded lists the parts that are not available.
	Degraded []string
}

// Embedded is a text as a model embedded it; the zero value is none.
type Embedded struct {
	Values []float32
	// Model is its ID, and Space its space.
	Model, Space string
	// Partial is [retrieve.Vector.Partial].
	Partial bool
}

// Hybrid is the graph ranker, which is optional.
type Hybrid interface {
	// Rank scores the matches of a search, and the memories that the graph adds, in no order.
	// near reports whether a score is so near a limit of the range that the exact cosine
	// decides.
	Rank(ctx context.Context, r *retrieve.Result, q *retrieve.Query, near func(score float64) bool) ([]GraphHit, error)
}

// GraphHit is one memory that [Hybrid] scored.
type GraphHit struct {
	Match retrieve.Match
	// Relevance is the sum of Terms, in [0, 1].
	Relevance float64
	Terms     []hippo.Contribution
	// GraphRank is its rank by the graph; 0 if the graph does not reach it.
	GraphRank int
}

// Config wires a [Searcher].
type Config struct {
	Index     retrieve.Retriever
	Relations Relations
	Embedder  Embedder
	// Instant embeds a text in the time of a record; nil: similar memories are found lexically.
	Instant func(ctx context.Context, text string) Embedded
	// Tokens compares texts token by token; nil: nothing is reranked.
	Tokens embed.TokenEmbedder
	// Hybrid answers ranker hybrid; nil: it is not supported.
	Hybrid  Hybrid
	Weights *rank.Weights
	// Now is the time of the user, in the zone of their days.
	Now func() time.Time
}

// New returns a Searcher.
func New(c Config) *Searcher {
	return &Searcher{
		index: c.Index, relations: c.Relations, embedder: c.Embedder, instant: c.Instant, hybrid: c.Hybrid, now: c.Now,
		model:  model{weights: c.Weights, decay: rank.NewDecay(&c.Weights.Usage), scorer: rank.NewScorer(c.Weights), tokens: c.Tokens, analyzer: bm25.Words()},
		claims: &claimCache{},
	}
}

// Over returns a Searcher with the same models and weights over another index.
func (s *Searcher) Over(x retrieve.Retriever, r Relations, h Hybrid) *Searcher {
	c := *s
	c.index, c.relations, c.hybrid = x, r, h
	return &c
}
