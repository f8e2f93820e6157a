package eval

import (
	"context"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// Searcher searches some documents.
type Searcher interface {
	Search(ctx context.Context, r Request) (Reply, error)
	Close() error
}

// Request is one search.
type Request struct {
	Text string
	// Count is the largest number of documents to return.
	Count int
	// Unbounded asks for the best candidates, whatever their relevance and the confidence.
	Unbounded bool
}

// Reply is what a search returns.
type Reply struct {
	// Names are those of the documents, best first, see [Name].
	Names []string
	// Weak: it says that it may not answer the question.
	Weak bool
	// Tokens is the size of the answer as its reader gets it, at four bytes a token; 0 if there is no such form.
	Tokens float64
}

// System is a way of searching that can be measured.
type System struct {
	// Name is the name of its rows.
	Name string
	// Open makes documents searchable; it must not keep or change them. The time that
	// it takes is not measured.
	Open func(ctx context.Context, docs []*hippo.Memory) (Searcher, error)
	// Confident: its replies say whether they are weak.
	Confident bool
	// Optional marks a ranker beside the default one that nobody asked for by name;
	// settings that take minutes leave it out.
	Optional bool
}

// Asked returns the set with the questions that a system is asked.
func (y *System) Asked(s *Set) *Set {
	if y.Confident {
		return s.Asked()
	}
	return s.Judged()
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
		lexical := EngineOptions{Backend: o.Backend, Ranker: r, Surprise: o.Surprise}
		switch {
		case r == hippo.RankerBM25 || r != hippo.RankerCosine && len(models) == 0:
			systems = append(systems, engineSystem(string(r), &lexical))
		default:
			for i := range models {
				semantic := EngineOptions{Backend: o.Backend, Ranker: r, Models: models[i].Used, Tokens: o.Tokens, Surprise: o.Surprise}
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
	return System{Name: name, Confident: o.Ranker == hippo.RankerHippo, Open: func(ctx context.Context, docs []*hippo.Memory) (Searcher, error) {
		e, err := OpenEngine(ctx, docs, o)
		if err != nil {
			return nil, err
		}
		return &engineSearcher{e}, nil
	}}
}

// engineSearcher searches an engine without counting the use of what it finds.
type engineSearcher struct{ *engine.Engine }

// Search implements [Searcher].
func (e *engineSearcher) Search(ctx context.Context, r Request) (Reply, error) {
	q := hippo.Query{Text: r.Text, Count: r.Count, NoTouch: true}
	if r.Unbounded {
		q.Relevance = &hippo.Range{Max: math.Inf(1)}
	}
	answer, err := query.Search(ctx, e.In(Scope()), q)
	if err != nil {
		return Reply{}, err
	}
	out := Reply{Weak: Weak(len(answer.Hits), answer.Weak)}
	for _, h := range answer.Hits {
		out.Names = append(out.Names, Name(h.Memory))
	}
	return out, nil
}
