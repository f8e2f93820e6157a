// Package codeindex answers questions about source trees: it finds code by text, meaning and names, and
// knows what defines, calls and imports what. A tree is indexed only if the user names its root. The
// index lies in the cache directory, never in a store, and can be deleted at any time.
//
// Each root has a folder with generations. A generation is a catalog, which keeps what parsers found
// (package catalog), and an [index.Index] that follows it as it follows a store: chunks of files are
// its documents. A small update is appended to the catalog; a large one makes a new generation beside
// the old one, which serves until the new one is whole.
package codeindex

import (
	"context"
	"log/slog"
	"time"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Parser reads source files. It is safe for concurrent use. One that is an [io.Closer] is closed with its [Library].
type Parser interface {
	// Language names the language of a file by its path and its beginning; empty: none that it knows.
	Language(path string, head []byte) string
	// Parse returns what a file defines and refers to. An error is that of ctx, or of a parser that cannot run; it
	// says nothing of the file. Text that the grammar does not accept is no error.
	Parse(ctx context.Context, language string, source []byte) (syntax.File, error)
}

// Config wires a [Library].
type Config struct {
	// Dir is the folder of all indexes; it is created when it is needed.
	Dir    string
	Parser Parser
	// Model embeds chunks and queries; its tokens are those of Tokens. Nil: words only.
	Model embed.StaticEmbedder
	// Encoder embeds chunks in the background, which takes minutes: [Encode]. Where it has embedded them, the cosine by
	// Model counts beside the one by it. Nil: Model alone counts.
	Encoder embed.Embedder
	// OnBattery reports whether the machine runs on its battery; nil: never. Nothing is embedded in the background then.
	OnBattery func(context.Context) bool
	// Tokens cuts texts for the index, and compares them token by token.
	Tokens  embed.TokenEmbedder
	Weights *rank.Weights
	Now     func() time.Time
	// Log receives what happens to files in the background; nil discards it.
	Log *slog.Logger
}

func (c *Config) logger() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}
