// Package embed is the contract between what turns texts into vectors and what
// uses vectors. Models live in sub-packages; only package app knows them.
//
// The rule that everything here serves: vectors of different spaces are never
// compared, and there is no stand-in vector. A model that cannot answer returns
// an error, and the search goes on without meaning.
package embed

import (
	"context"
	"errors"
)

// ErrNotReady is what an [Embedder] answers while its model is being loaded.
var ErrNotReady = errors.New("model is loading")

// Role says what a text is for; some models embed questions and passages
// differently, and to be found differently from to be compared.
type Role uint8

const (
	// Passage is a text that is to be found.
	Passage Role = iota
	// Query is a text to find passages by.
	Query
	// Sentence is a text to be compared with others of this role: how much they
	// say the same.
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
	// ID names the model and everything that decides its vectors: weights,
	// pooling, prefixes. It is "NAME@REVISION"; vectors of equal IDs are
	// interchangeable.
	ID string
	// Space names the space the vectors lie in. A vector may be compared with
	// those of the same ID only, unless the space is equal, too.
	Space string
	// Dimension is the length of a vector. It is 0 for a [Waiter] that is not ready and
	// learns it from its first answer.
	Dimension int
}

// Pieces is a table of word pieces whose meanings can be compared one by one. It is
// safe for concurrent use.
type Pieces interface {
	// Table names the table, and is never empty. Tables of equal names make equal
	// pieces of every text, so pieces may be kept with that name.
	Table() string
	// Pieces appends the numbers of the pieces of a text to dst. They are at least 0
	// and below 65,536, so that two bytes hold one.
	Pieces(dst []int32, text string) []int32
	// Weight is what a piece counts in a text to be searched, 0 or more; 0 for a
	// number that is not in the table.
	Weight(piece int32) float64
	// Interact returns an Interaction of a query that consists of pieces. The caller
	// closes it.
	Interact(query []int32) Interaction
}

// Interaction compares the pieces of a query with those of texts. It is for one
// goroutine. A number that is not in the table is like nothing: pieces may come from
// a file that is damaged.
type Interaction interface {
	// Best raises dst, which is as long as the query, to the highest cosine of each
	// of its pieces with any piece of a text, and lowers none of it. So a text may be
	// given in parts; who begins another clears dst first.
	Best(dst []float32, text []int32)
	// Close gives its memory back. It is not used afterwards.
	Close()
}

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Model is constant for the life of the Embedder, except for a dimension that is not
	// known yet.
	Model() Model
	// Embed returns a vector for each text, in order, each of Model().Dimension
	// numbers and of length 1. A text without anything that the model knows may
	// give a vector of zeros, which is like nothing. Long texts are embedded
	// whole. The caller owns the result. All or nothing: on an error there is no
	// vector at all. [ErrNotReady] while the model loads.
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
