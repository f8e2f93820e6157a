package eval

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/index/bm25"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Searcher searches some documents.
type Searcher interface {
	// Search returns the names of at most k documents, best first: Source.URI,
	// or the ID where that is empty.
	Search(ctx context.Context, query string, k int) ([]string, error)
	Close() error
}

// System is a way of searching that can be measured.
type System struct {
	// Name is the name of its rows.
	Name string
	// Open makes documents searchable; it must not keep or change them. What it
	// takes is not measured.
	Open func(ctx context.Context, docs []*hippo.Memory) (Searcher, error)
	// common: it is one of the rankers beside the default, measured because no
	// ranker was asked for.
	common bool
}

// Baseline is the name of the plain system that all others are compared with:
// BM25, k1 1.2, b 0.75, over lower-cased words without stemming; English
// function words are left out of the questions, see [bm25.Plain].
const Baseline = "bm25 plain"

// Model is a model that can be measured.
type Model struct {
	// Name is the name of its rows.
	Name string
	embed.Embedder
}

// Systems returns the baseline, and the engine with each of these rankers, nil
// meaning all: once for rankers by words alone, else for each model, or without
// one if there is none. backend returns an empty store.
func Systems(backend func() driver.Backend, rankers []hippo.Ranker, models []Model, pieces embed.TokenEmbedder) []System {
	all := rankers == nil
	if all {
		rankers = slices.Clone(hippo.Rankers())
		slices.Reverse(rankers)
	}
	plain := &index.Options{Analyzer: bm25.Plain()}
	systems := []System{engineSystem(Baseline, backend, hippo.RankerBM25, plain, nil, nil)}
	for _, r := range rankers {
		first := len(systems)
		switch {
		case r == hippo.RankerBM25 || r != hippo.RankerCosine && len(models) == 0:
			systems = append(systems, engineSystem(string(r), backend, r, nil, nil, nil))
		default:
			for i := range models {
				systems = append(systems, engineSystem(string(r)+" "+models[i].Name, backend, r, nil, models[i].Embedder, pieces))
			}
		}
		for i := first; i < len(systems); i++ {
			systems[i].common = all && r != hippo.RankerHippo
		}
	}
	return systems
}

// engineSystem is the product's own search.
func engineSystem(name string, backend func() driver.Backend, ranker hippo.Ranker, o *index.Options, model embed.Embedder, pieces embed.TokenEmbedder) System {
	return System{Name: name, Open: func(ctx context.Context, docs []*hippo.Memory) (Searcher, error) {
		// Any fixed time does: what was recorded at once has one age.
		now := func() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }
		s := store.New(backend(), &store.Options{Now: now, Zone: time.UTC})
		c := engine.Config{Store: s, Ranker: ranker, Now: now}
		var options index.Options
		if o != nil {
			options = *o
		}
		if model != nil {
			c.Models = []engine.Model{{Embedder: kept{model}, Instant: true}}
			c.Pieces, options.Pieces = pieces, pieces
		}
		var err error
		if c.Index, err = index.Open(ctx, s, &options); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		e := &engineSearcher{engine.New(c)}
		if err := e.load(ctx, calendarOf(docs, now()), docs); err != nil {
			return nil, errors.Join(err, e.Close())
		}
		return e, nil
	}}
}

// kept hides that a model can be closed: it outlives the engine.
type kept struct{ embed.Embedder }

type engineSearcher struct{ *engine.Engine }

// load imports the documents, and searches once so that they are indexed.
func (e *engineSearcher) load(ctx context.Context, cal hippo.Calendar, docs []*hippo.Memory) error {
	report, err := e.Import(ctx, cal, copies(docs), nil)
	if err != nil {
		return err
	}
	for _, r := range report.Rejected {
		return r.Err
	}
	_, err = e.Search(ctx, "a", 1)
	return err
}

func copies(docs []*hippo.Memory) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for _, m := range docs {
			if !yield(m.Clone(), nil) {
				return
			}
		}
	}
}

// Search implements [Searcher].
func (e *engineSearcher) Search(ctx context.Context, query string, k int) ([]string, error) {
	answer, err := e.Engine.Search(ctx, hippo.Query{Text: query, Count: k, NoTouch: true})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(answer.Hits))
	for i, h := range answer.Hits {
		names[i] = idOf(h.Memory)
	}
	return names, nil
}
