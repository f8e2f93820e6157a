package index

import (
	"context"
	"iter"
	"log/slog"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Source is what an index follows; see [driver.Backend] for the contract of both methods.
// Memories that Changes yields are only read.
type Source interface {
	Head(ctx context.Context) (driver.Head, error)
	Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error]
	Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error]
}

// Options adjusts an [Index]. The zero value and nil are useful.
type Options struct {
	// Path is the file that keeps the index between processes; several may share it.
	// Empty: in memory only.
	Path string
	// Analyzer of texts and queries; nil means [bm25.Words].
	Analyzer bm25.Analyzer
	// Literal: the terms of a query match nothing but themselves, as in the baseline of
	// evaluations: no stems of other languages, prefixes, typos, compounds or joined words.
	Literal bool
	// Params of the formula; nil means [bm25.DefaultParams].
	Params *bm25.Params
	// Tokens cuts texts into the word pieces of [retrieve.Reader.Tokens]; nil: there are
	// none. An index with other word pieces is rebuilt.
	Tokens embed.TokenEmbedder
	// Models are those whose vectors are kept; those of others are dropped.
	Models []embed.Model
	// Instant embeds memories while they are indexed; nil: vectors come by
	// [Vectors.Set] only. Its model is one of Models.
	Instant embed.Embedder
	// Stored returns the vectors of memories that models have left in the store: by model and memory those of its passages, one
	// after the other, and nil for a memory without one of its text. With it the index that is built has them at once, at
	// half the cost of [Vectors.Set]; nil: it has none.
	Stored func(ctx context.Context, models []embed.Model, ms []*hippo.Memory) ([][][]float32, error)
	// SaveEvery is the number of changed rows after which the file is written in the
	// background; 0 means 4,096.
	SaveEvery int
	// ReadOnly: the file is neither written nor deleted, and segments are not merged, for
	// processes that answer once and end.
	ReadOnly bool
	// Sharing fetches the file from other machines, and keeps it for them; nil: it stays on this one.
	Sharing *Sharing
	// Log receives what happens to the file; nil discards it.
	Log *slog.Logger
}

const defaultSaveEvery = 4096

// complete returns the options with the defaults filled in.
func (o *Options) complete() *Options {
	c := Options{}
	if o != nil {
		c = *o
	}
	if c.Analyzer == nil {
		c.Analyzer = bm25.Words()
	}
	if c.Params == nil {
		p := bm25.DefaultParams()
		c.Params = &p
	}
	if c.SaveEvery <= 0 {
		c.SaveEvery = defaultSaveEvery
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &c
}

// writable reports whether there is a file that may be written.
func (o *Options) writable() bool { return o.Path != "" && !o.ReadOnly }

// shares reports whether the file travels.
func (o *Options) shares() bool { return o.Sharing != nil && o.writable() }

// static returns the instant model if it embeds the word pieces of the index, else nil.
func (o *Options) static() embed.StaticEmbedder {
	if m, ok := o.Instant.(embed.StaticEmbedder); ok && o.Tokens != nil && m.Vocabulary() == o.Tokens.Vocabulary() {
		return m
	}
	return nil
}

// tokensName is the name of the word pieces.
func (o *Options) tokensName() string {
	if o.Tokens == nil {
		return ""
	}
	return o.Tokens.Vocabulary()
}
