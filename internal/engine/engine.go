// Package engine is an open memory: the store, the index and the models of a process, and [Memories], which is what a caller may see
// of them. The verbs are functions of the packages in its folders, by subject: memory, knowledge, history, transfer, upkeep and query.
// They reach the store through the fields of Engine and Memories; front ends call verbs and use no field.
//
// [Perform] carries out a verb here, or, if the engine is one of [NewRemote], in the process that has the store open.
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
	"github.com/hippo-memory/hippo/internal/engine/entities"
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
	Store     *store.Store
	Index     *index.Index
	Embedding *embedding.Follower
	searches
	behind
	slots
	Weights  *rank.Weights
	Defaults defaults
	Remote   Remote // nil: the store is open in this process, and the fields above are set
	Clock    func() time.Time
	closing  func() error // once
	Cards    *entities.Cards
}

// behind writes what nobody waits for.
type behind struct {
	Accesses *writebehind.Accesses
	Surprise *writebehind.Scorer // nil: surprise is not computed
}

// maxPasts is how many verbs run in the past at a time: each takes RAM and a core, even for a caller who may only read.
const maxPasts = 2

// slots limit what runs at a time.
type slots struct {
	Planning chan struct{} // a token: one consolidation at a time
	pasts    chan struct{} // tokens of the verbs that run in the past, see [maxPasts]
	// Comparing counts the memories that are compared with others.
	Comparing *atomic.Int32
}

// searches answers queries.
type searches struct {
	Searcher *recall.Searcher
	Pages    *recall.Pages
	Turns    *turns
	Groups   *atomic.Pointer[Grouping] // the last one
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

// Background says how memories are embedded in the background, with names as in [embedding.Config].
type Background struct {
	OnBattery func(context.Context) bool
	Brief     bool
	Shared    bool
}

// New returns an Engine. It starts one or two goroutines, which Close ends.
func New(c Config) *Engine {
	e := &Engine{Store: c.Store, Index: c.Index, Weights: c.Weights, Clock: c.Now, Defaults: defaultsOf(&c, c.Store.Zone()), Cards: &entities.Cards{}}
	if e.Weights == nil {
		w := rank.DefaultWeights()
		e.Weights = &w
	}
	if e.Clock == nil {
		e.Clock = time.Now //nolint:forbidigo // the system clock is the default
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	e.Pages, e.Turns, e.Groups, e.Comparing = recall.NewPages(e.Clock), newTurns(), &atomic.Pointer[Grouping]{}, &atomic.Int32{}
	e.Planning, e.pasts = make(chan struct{}, 1), make(chan struct{}, maxPasts)
	e.Accesses = writebehind.NewAccesses(e.Store, e.Index, e.Weights, c.Log)
	e.Embedding = embedding.New(embedding.Config{
		Store: e.Store, Index: e.Index, Models: c.Models, Shared: c.Background.Shared, Degraded: c.Degraded, OnBattery: c.Background.OnBattery, Brief: c.Background.Brief, Log: c.Log,
	})
	links := relationReader{e.Store, &e.Weights.Relations, e.Clock}
	e.Searcher = recall.New(recall.Config{
		Index: e.Index, Relations: links, Embedder: e.Embedding, Tokens: c.Tokens, Weights: e.Weights,
		Instant: func(ctx context.Context, text string) recall.Embedded {
			return embedding.Instant(ctx, e.Embedding, text)
		},
		Hybrid: hybrid.New(hybrid.DefaultWeights(), e.Store, index.TextKey, links, e.Clock),
		Now:    func() time.Time { return e.Clock().In(e.Store.Zone()) },
	})
	e.closing = sync.OnceValue(func() error {
		e.Accesses.Close()
		e.Surprise.Close()
		return errors.Join(e.Embedding.Close(), e.Index.Close(), e.Store.Close())
	})
	return e
}

// Observed returns e with an observer, which hears of the verbs that are called through the result. Both are the same open memory.
func Observed(e *Engine, o Observer) *Engine {
	c := *e
	c.Defaults.observer = o
	return &c
}

// defaults are settings of a caller.
type defaults struct {
	Ranker hippo.Ranker
	wait   time.Duration // [Config.IndexWait]
	zone   *time.Location
	// Repositories is [Config.Repositories].
	Repositories project.Cache
	spelled      *sync.Map // the namespaces that are known to have memories
	observer     Observer  // see [Observed]; nil: nobody hears of the verbs
}

func defaultsOf(c *Config, zone *time.Location) defaults {
	return defaults{Ranker: cmp.Or(c.Ranker, hippo.RankerHippo), wait: c.IndexWait, zone: zone, Repositories: c.Repositories, spelled: &sync.Map{}}
}

// Memories is the memory within the scope of a caller; the verbs are functions on it. It is cheap to
// create and safe for concurrent use.
type Memories struct {
	*Engine
	Scope  hippo.Scope
	Scoped store.Scoped

	Op hippo.Operation // see [As]

	SecretsAllowed bool
	Wait           time.Duration // [Config.IndexWait] of the caller
	Retried        bool          // an attempt whose result was lost may have been carried out
}

// In returns the memory within a scope.
func (e *Engine) In(scope hippo.Scope) *Memories {
	return &Memories{Engine: e, Scope: scope, Scoped: e.Store.In(scope), Wait: e.Defaults.wait}
}

// As returns the memory in the same scope, for one who changes it: operations get By and Reason of
// op. An ID is that of the operation of the next write, of which there may be only one; zero: a new
// one. The rest of op is ignored.
func As(m *Memories, op hippo.Operation) *Memories {
	c := *m
	c.Op = hippo.Operation{ID: op.ID, By: op.By, Reason: op.Reason}
	return &c
}

// Because returns the memory in the same scope, for the same caller, whose operations have a reason.
func Because(m *Memories, reason string) *Memories {
	c := *m
	c.Op.Reason = reason
	return &c
}

// Operation returns the operation of a verb of the caller.
func Operation(m *Memories, verb hippo.Verb) hippo.Operation {
	op := m.Op
	op.Verb = verb
	return op
}

// Indexed runs f, which reads the index, when that has the state of the store. If the file of the
// index turns out to be damaged meanwhile, f runs once more, on the rebuilt index.
func (e *Engine) Indexed(ctx context.Context, f func() error) error {
	err := e.indexedOnce(ctx, f)
	if errors.Is(err, index.ErrDamaged) {
		err = e.indexedOnce(ctx, f)
	}
	return err
}

func (e *Engine) indexedOnce(ctx context.Context, f func() error) error {
	if err := e.Index.CatchUp(ctx); err != nil {
		return err
	}
	return e.Index.Guard(f)
}

// Importance returns the importance of a memory as of an active day, in [0, 1].
func (e *Engine) Importance(m *hippo.Memory, day hippo.Day) float64 {
	return e.Weights.Usage.Importance(m.Importance.Value, m.Importance.SetDay, day, m.Pinned)
}

// Zone returns the time zone of the user.
func (e *Engine) Zone() *time.Location { return e.Defaults.zone }

// Close stores what is pending and closes the index and the store. Closing again returns what
// the first Close did.
func (e *Engine) Close() error { return e.closing() }
