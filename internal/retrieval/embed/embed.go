// Package embed defines embedding models. Their implementations are in sub-packages,
// which only package app imports.
//
// Invariant: vectors of different spaces are never compared, and no vector is made up. A
// model that cannot answer returns an error, and the search falls back to another model or
// to lexical matching.
package embed

import (
	"context"
	"errors"
)

// ErrNotReady is the error of an [Embedder] whose model is being loaded.
var ErrNotReady = errors.New("model is loading")

// Role is the purpose of a text: some models embed queries, passages and sentences that
// are compared with each other differently.
type Role uint8

const (
	// Passage is a text to be searched.
	Passage Role = iota
	// Query is a text that passages are searched for.
	Query
	// Sentence is a text whose similarity with others of this role is measured.
	Sentence
)

func (r Role) String() string {
	switch r {
	case Query:
		return "query"
	case Sentence:
		return "sentence"
	default:
		return "passage"
	}
}

// Model identifies what made a vector.
type Model struct {
	// ID names the model and everything that determines its vectors: weights, pooling,
	// prefixes. It is "NAME@REVISION"; vectors of equal IDs are interchangeable.
	ID string
	// Space names the vector space. Vectors of different models may be compared only if
	// their spaces are equal.
	Space string
	// Dimension is the length of a vector. It is 0 for a [Waiter] that is not ready and
	// learns it from its first answer.
	Dimension int
}

// TokenEmbedder compares texts token by token (late interaction, as in ColBERT, with
// static token embeddings). It is safe for concurrent use.
// Source: Khattab and Zaharia, ColBERT, arXiv 2004.12832.
type TokenEmbedder interface {
	// Vocabulary names the vocabulary and is never empty. Vocabularies of equal names give
	// equal tokens for every text, so token IDs may be stored with that name.
	Vocabulary() string
	// Tokenize appends the token IDs of a text to dst. They are at least 0 and below
	// 65,536, so that two bytes hold one. Spaces, tabs, line feeds and carriage returns
	// separate tokens: those of a text are those of the words between them, in order, so
	// that the tokens of a word may be cached.
	Tokenize(dst []int32, text string) []int32
	// Weight is the weight of a token in a query, 0 or more; 0 for an ID outside of the
	// vocabulary.
	Weight(token int32) float64
	// NewMaxSim returns a MaxSim for the tokens of a query. The caller closes it.
	NewMaxSim(query []int32) MaxSim
}

// CodeEmbedder is a TokenEmbedder that also embeds texts of tokens for one purpose: that the vector of
// a function is similar to those of questions that it answers. The vectors lie in a space of their
// own.
type CodeEmbedder interface {
	TokenEmbedder
	// CodeDimension is the length of the vectors.
	CodeDimension() int
	// EmbedCode sets v, zeros as many as CodeDimension, to the vector of a text of these tokens, of
	// length 1; zeros if no token is known. It reorders the tokens.
	EmbedCode(v []float32, tokens []int32)
}

// StaticEmbedder is an Embedder whose vectors depend on nothing but the tokens of a text, so that
// who needs both cuts the text once.
type StaticEmbedder interface {
	Embedder
	TokenEmbedder
	// EmbedTokens sets v, zeros as many as the dimension of the model, to the vector that
	// Embed returns for a text of these tokens.
	EmbedTokens(v []float32, role Role, tokens []int32)
}

// TextEmbedder is a TokenEmbedder whose table also embeds whole texts.
type TextEmbedder interface {
	TokenEmbedder
	// Texts returns the model of texts over the same tokens.
	Texts() StaticEmbedder
}

// MaxSim computes the maximum similarity of each token of a query with the tokens of a
// text. It is for one goroutine. An ID outside of the vocabulary is similar to nothing: it
// may come from a damaged file.
type MaxSim interface {
	// Update raises each element of dst, which is as long as the query, to the highest
	// cosine of that token with any token of a text. It lowers none, so a text may be given
	// in parts; dst is zeros before the first part.
	Update(dst []float32, text []int32)
	// Close releases the memory. The MaxSim must not be used afterwards.
	Close()
}

// Embedder maps texts to vectors. It is safe for concurrent use.
type Embedder interface {
	// Model is constant for the life of the Embedder, except for a dimension that is not
	// known yet.
	Model() Model
	// Embed returns a vector for each text, in order, each of Model().Dimension numbers and
	// of length 1. A text without a known token may have a vector of zeros, which is
	// similar to nothing. Long texts are not truncated. The caller owns the result. On an
	// error there is no vector at all; it is [ErrNotReady] while the model loads.
	Embed(ctx context.Context, role Role, texts []string) ([][]float32, error)
}

// Waiter is an [Embedder] that is not ready at once, because it loads files or has to
// ask a server for its dimension. Embed answers [ErrNotReady] meanwhile.
type Waiter interface {
	Embedder
	// Wait makes the Embedder ready, unless it is, and returns when it is ready or has
	// failed. The error is that of loading or of the server, or of ctx. It may take as
	// long as the server does: only work in the background, and who has asked for this
	// model and nothing else, should wait.
	Wait(ctx context.Context) error
}
