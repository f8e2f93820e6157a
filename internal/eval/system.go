package eval

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// Searcher searches some documents.
type Searcher interface {
	// Search returns the names of at most k documents, best first, see [Name].
	Search(ctx context.Context, query string, k int) ([]string, error)
	Close() error
}

// System is a way of searching that can be measured.
type System struct {
	// Name is the name of its rows.
	Name string
	// Open makes documents searchable; it must not keep or change them. The time that
	// it takes is not measured.
	Open func(ctx context.Context, docs []*hippo.Memory) (Searcher, error)
	// Optional marks a ranker beside the default one that nobody asked for by name;
	// settings that take minutes leave it out.
	Optional bool
}

// Baseline is the name of the plain system that all others are compared with:
// BM25, k1 1.2, b 0.75, over lower-cased words without stemming; English
// function words are left out of the questions, see [bm25.Plain].
const Baseline = "bm25 plain"

// Systems returns the baseline, and the engine with each of these rankers, nil
// meaning all: once for lexical rankers, else for each model, or without one if there
// is none.
func Systems(o *EngineOptions, rankers []hippo.Ranker, models []Model) []System {
	all := rankers == nil
	if all {
		rankers = slices.Clone(hippo.Rankers())
		slices.Reverse(rankers)
	}
	plain := EngineOptions{Backend: o.Backend, Ranker: hippo.RankerBM25, Index: index.Options{Analyzer: bm25.Plain(), Literal: true}}
	systems := []System{engineSystem(Baseline, &plain)}
	for _, r := range rankers {
		first := len(systems)
		lexical := EngineOptions{Backend: o.Backend, Ranker: r}
		switch {
		case r == hippo.RankerBM25 || r != hippo.RankerCosine && len(models) == 0:
			systems = append(systems, engineSystem(string(r), &lexical))
		default:
			for i := range models {
				semantic := EngineOptions{Backend: o.Backend, Ranker: r, Model: models[i].Embedder, Tokens: o.Tokens}
				systems = append(systems, engineSystem(string(r)+" "+models[i].Name, &semantic))
			}
		}
		for i := first; i < len(systems); i++ {
			systems[i].Optional = all && r != hippo.RankerHippo
		}
	}
	return systems
}

// engineSystem returns the product's own search.
func engineSystem(name string, o *EngineOptions) System {
	return System{Name: name, Open: func(ctx context.Context, docs []*hippo.Memory) (Searcher, error) {
		e, err := OpenEngine(ctx, docs, o)
		if err != nil {
			return nil, err
		}
		return engineSearcher{e}, nil
	}}
}

// engineSearcher searches an engine without counting the use of what it finds.
type engineSearcher struct{ *engine.Engine }

// Search implements [Searcher].
func (e engineSearcher) Search(ctx context.Context, query string, k int) ([]string, error) {
	answer, err := e.In(Scope()).Search(ctx, hippo.Query{Text: query, Count: k, NoTouch: true})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(answer.Hits))
	for i, h := range answer.Hits {
		names[i] = Name(h.Memory)
	}
	return names, nil
}
