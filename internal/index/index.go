package index

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index/bm25"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Source is what an index follows; see [driver.Backend] for the contract of both methods.
// Memories that Changes yields are only read.
type Source interface {
	Head(ctx context.Context) (driver.Head, error)
	Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error]
}

// Options adjusts an [Index]. The zero value and nil are useful.
type Options struct {
	// Path is the file that keeps the index between processes; several may share it.
	// Empty: in memory only.
	Path string
	// Analyzer of texts and queries; nil means [bm25.Words].
	Analyzer bm25.Analyzer
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
	// SaveEvery is the number of changed rows after which the file is written in the
	// background; 0 means 4,096.
	SaveEvery int
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

// static returns the instant model if it embeds the word pieces of the index, else nil.
func (o *Options) static() embed.StaticEmbedder {
	if m, ok := o.Instant.(embed.StaticEmbedder); ok && o.Tokens != nil && m.Vocabulary() == o.Tokens.Vocabulary() {
		return m
	}
	return nil
}

// Index is a follower of a store. It is safe for concurrent use.
type Index struct {
	*state
	*follower
	upkeep *upkeep
	search searchPool
	// Vectors are the embeddings in the index.
	Vectors *Vectors
}

// Open loads the file, if there is one that fits; it does not catch up with src. A file that
// does not fit is replaced; its state is never an error. Close the Index after use.
//
// Cost: some milliseconds with a file of 100,000 memories.
func Open(ctx context.Context, src Source, o *Options) (*Index, error) {
	o = o.complete()
	head, err := src.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("index: open: %w", err)
	}
	s := newState(o.Models)
	u := &upkeep{state: s, opts: o, file: indexFile{path: o.Path}}
	u.load(head)
	f := &follower{state: s, src: src, opts: o, upkeep: u, token: make(chan struct{}, 1)}
	v := &Vectors{state: s, upkeep: u}
	return &Index{state: s, follower: f, upkeep: u, Vectors: v, search: searchPool{opts: o, elements: &v.elements}}, nil
}

// Stats describes an index.
type Stats struct {
	// Memories counts those that can be found, of all scopes.
	Memories int
	// Terms is the size of the dictionaries together.
	Terms int
	// Segments counts the segments, Deleted the documents that wait for a merge to go.
	Segments, Deleted int
	// Revision is how far the index has followed the store; Saved is the revision of the
	// file, 0 if there is none.
	Revision, Saved hippo.Revision
}

// Stats returns the current state.
func (x *Index) Stats() Stats {
	s := x.current.Load()
	out := Stats{Segments: len(s.parts), Revision: s.revision, Saved: x.upkeep.file.savedRevision()}
	for _, p := range s.parts {
		out.Memories += p.live.count()
		out.Deleted += p.deleted()
		out.Terms += p.lexicon.terms.len()
	}
	return out
}

// Save writes the file now; without a path it only merges what is to be merged.
func (x *Index) Save(ctx context.Context) error {
	if err := x.upkeep.save(ctx); err != nil {
		return fmt.Errorf("index: save: %w", err)
	}
	return nil
}

// Close ends the background work, saves what is worth it and releases everything. That the
// file cannot be written is logged and no error: the store has all the data. Closing again
// does nothing.
func (x *Index) Close() error {
	x.close()
	first := false
	x.edit(func(d *draft) { first, d.closed = !d.closed, true })
	if !first {
		return nil
	}
	x.upkeep.close()
	if x.upkeep.worthSaving() {
		x.upkeep.warn(x.upkeep.save(context.Background()))
	}
	x.edit(func(d *draft) { d.parts = nil })
	return nil
}

// int32Of narrows a count that no real store exceeds.
func int32Of(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }
