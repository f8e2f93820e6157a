// Package engine holds the use cases, one file a verb: record, search, list, get, modify,
// reinforce, forget, relate, compare, import and export. It joins the store, the index and
// package recall. Front ends call it and nothing below it.
//
// The verbs are methods of [Memories], which is a store restricted to the scope of a caller:
// [Engine.In] takes the scope once.
package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine/writebehind"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/recall"
	"github.com/hippo-memory/hippo/internal/retrieval/recall/hybrid"
	"github.com/hippo-memory/hippo/internal/store"
)

// Engine is a memory in use. It is safe for concurrent use.
type Engine struct {
	store     *store.Store
	index     *index.Index
	embedding *embedding.Follower
	searches
	behind
	slots
	weights  *rank.Weights
	defaults defaults
	remote   Remote // nil: the store is open in this process, and the fields above are set
	now      func() time.Time
	closing  func() error // once
	cards    cards
}

// behind writes what nobody waits for.
type behind struct {
	accesses *writebehind.Accesses
	surprise *writebehind.Scorer // nil: surprise is not computed
}

// maxPasts is how many verbs run in the past at a time: each takes RAM and a core, even for a caller who may only read.
const maxPasts = 2

// slots limit what runs at a time.
type slots struct {
	planning chan struct{} // a token: one consolidation at a time
	pasts    chan struct{} // tokens of the verbs that run in the past, see [maxPasts]
	// comparing counts the memories that are compared with others.
	comparing atomic.Int32
}

// searches answers queries.
type searches struct {
	searcher *recall.Searcher
	pages    *recall.Pages
	turns    *turns
	groups   atomic.Pointer[grouping] // the last one
}

// Remote carries out verbs in the process that has the store open. It is safe for concurrent use.
type Remote interface {
	// Call carries out a verb and decodes its result into out, a pointer. If the connection breaks it may
	// repeat the call with Retried set.
	Call(ctx context.Context, c *Call, out any) error
	// Here returns an engine of this process, for what cannot travel, and what ends its use. Cost: that of opening the
	// store, unless it is open. The error is [ErrAway] if the store is not of this machine.
	Here(ctx context.Context) (e *Engine, end func() error, err error)
	Close() error
}

// Config wires an [Engine].
type Config struct {
	// Store and Index are required; the engine takes over closing both.
	Store *store.Store
	Index *index.Index
	// Weights of the rankers; nil means [rank.DefaultWeights].
	Weights *rank.Weights
	// Ranker for queries that name none; empty means [hippo.RankerHippo].
	Ranker hippo.Ranker
	// Models embed memories and queries, the preferred one first; none: search is lexical.
	// The engine takes over closing them. The index was opened with the same models.
	Models []embedding.Model
	// Tokens compares texts token by token in ranker hippo; nil: nothing is reranked.
	Tokens embed.TokenEmbedder
	// Degraded lists parts that are not available; searches repeat it.
	Degraded []string
	// IndexWait is how long a search waits for an index that is being rebuilt before it
	// searches the part that is complete; 0: until all of it is.
	IndexWait  time.Duration
	Background Background
	// Repositories is what this machine remembers of its repositories; the zero value: nothing.
	Repositories project.Cache
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// Log receives failures of background work; nil discards them.
	Log *slog.Logger
}

// Background says how memories are embedded in the background. Lock is [embedding.Config.Path], the others have its names.
type Background struct {
	Lock      string
	OnBattery func(context.Context) bool
	Brief     bool
}

// New returns an Engine. It starts one or two goroutines, which Close ends.
func New(c Config) *Engine {
	e := &Engine{store: c.Store, index: c.Index, weights: c.Weights, now: c.Now, defaults: defaultsOf(&c, c.Store.Zone())}
	if e.weights == nil {
		w := rank.DefaultWeights()
		e.weights = &w
	}
	if e.now == nil {
		e.now = time.Now //nolint:forbidigo // the system clock is the default
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	e.pages, e.turns = recall.NewPages(e.now), newTurns()
	e.planning, e.pasts = make(chan struct{}, 1), make(chan struct{}, maxPasts)
	e.accesses = writebehind.NewAccesses(e.store, e.index, e.weights, c.Log)
	e.embedding = embedding.New(embedding.Config{
		Store: e.store, Index: e.index, Models: c.Models, Degraded: c.Degraded, Path: c.Background.Lock, OnBattery: c.Background.OnBattery, Brief: c.Background.Brief, Log: c.Log,
	})
	links := relationReader{e.store, &e.weights.Relations, e.now}
	e.searcher = recall.New(recall.Config{
		Index: e.index, Relations: links, Embedder: e.embedding, Tokens: c.Tokens, Weights: e.weights,
		Instant: func(ctx context.Context, text string) recall.Embedded {
			return embedding.Instant(ctx, e.embedding, text)
		},
		Hybrid: hybrid.New(hybrid.DefaultWeights(), e.store, index.TextKey, links, e.now),
		Now:    func() time.Time { return e.now().In(e.store.Zone()) },
	})
	e.closing = sync.OnceValue(func() error {
		e.accesses.Close()
		e.surprise.Close()
		return errors.Join(e.embedding.Close(), e.index.Close(), e.store.Close())
	})
	return e
}

// defaults are settings of a caller.
type defaults struct {
	ranker hippo.Ranker
	wait   time.Duration // [Config.IndexWait]
	zone   *time.Location
	// repositories is [Config.Repositories].
	repositories project.Cache
	spelled      *sync.Map // the namespaces that are known to have memories
}

func defaultsOf(c *Config, zone *time.Location) defaults {
	return defaults{ranker: cmp.Or(c.Ranker, hippo.RankerHippo), wait: c.IndexWait, zone: zone, repositories: c.Repositories, spelled: &sync.Map{}}
}

// Memories is the memory within the scope of a caller; its methods are the verbs. It is cheap to
// create and safe for concurrent use.
type Memories struct {
	*Engine
	scope  hippo.Scope
	scoped store.Scoped

	op hippo.Operation // see [As]

	secretsAllowed bool
	wait           time.Duration // [Config.IndexWait] of the caller
	retried        bool          // an attempt whose result was lost may have been carried out
}

// In returns the memory within a scope.
func (e *Engine) In(scope hippo.Scope) *Memories {
	return &Memories{Engine: e, scope: scope, scoped: e.store.In(scope), wait: e.defaults.wait}
}

// As returns the memory in the same scope, for one who changes it: operations get By and Reason of
// op. An ID is that of the operation of the next write, of which there may be only one; zero: a new
// one. The rest of op is ignored.
func As(m *Memories, op hippo.Operation) *Memories {
	c := *m
	c.op = hippo.Operation{ID: op.ID, By: op.By, Reason: op.Reason}
	return &c
}

// Because returns the memory in the same scope, for the same caller, whose operations have a reason.
func Because(m *Memories, reason string) *Memories {
	c := *m
	c.op.Reason = reason
	return &c
}

// as returns the operation of a verb of the caller.
func as(m *Memories, verb hippo.Verb) hippo.Operation {
	op := m.op
	op.Verb = verb
	return op
}

// indexed runs f, which reads the index, when that has the state of the store. If the file of the
// index turns out to be damaged meanwhile, f runs once more, on the rebuilt index.
func (e *Engine) indexed(ctx context.Context, f func() error) error {
	err := e.indexedOnce(ctx, f)
	if errors.Is(err, index.ErrDamaged) {
		err = e.indexedOnce(ctx, f)
	}
	return err
}

func (e *Engine) indexedOnce(ctx context.Context, f func() error) error {
	if err := e.index.CatchUp(ctx); err != nil {
		return err
	}
	return e.index.Guard(f)
}

// Importance returns the importance of a memory as of an active day, in [0, 1].
func (e *Engine) Importance(m *hippo.Memory, day hippo.Day) float64 {
	return e.weights.Usage.Importance(m.Importance.Value, m.Importance.SetDay, day, m.Pinned)
}

// Zone returns the time zone of the user.
func (e *Engine) Zone() *time.Location { return e.defaults.zone }

// Close stores what is pending and closes the index and the store. Closing again returns what
// the first Close did.
func (e *Engine) Close() error { return e.closing() }
