package grid

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// The names of what is measured: the default ranker, its parts, and ranker hybrid.
const (
	byDefault      = "default"
	byLexical      = "bm25"
	byCosine       = "cosine"       // the cosine of the English encoder; that of the instant model where it is not in use
	byMultilingual = "multilingual" // the cosine of the multilingual encoder
	byTokens       = "tokens"       // token by token, over the best of the other parts
	byHybrid       = "hybrid"
)

// others are what the default is compared with.
func others() []string { return []string{byLexical, byCosine, byMultilingual, byTokens, byHybrid} }

// searched is a store that can be asked in every way.
type searched struct {
	*engine.Engine
	// multilingual has the vectors of the multilingual encoder alone; nil: it does not serve.
	multilingual *engine.Engine
	tokens       *tokens
}

// openStore records memories in a state.
func openStore(ctx context.Context, o *eval.EngineOptions, docs []*hippo.Memory, state string) (_ *searched, err error) {
	s := &searched{tokens: newTokens(o.Tokens, docs)}
	own := *o
	switch state {
	case stateFirst:
		own.Models = instantOf(o.Models)
		s.Engine, err = eval.OpenEngine(ctx, docs, &own)
	case stateHalf:
		s.Engine, err = openHalf(ctx, &own, docs)
	default:
		if s.Engine, err = eval.OpenEngine(ctx, docs, &own); err == nil {
			s.multilingual, err = openMultilingual(ctx, &own, docs)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the engines.
func (s *searched) Close() error {
	var err error
	for _, e := range []*engine.Engine{s.Engine, s.multilingual} {
		if e != nil {
			err = errors.Join(err, e.Close())
		}
	}
	return err
}

func instantOf(models []embedding.Model) []embedding.Model {
	return slices.DeleteFunc(slices.Clone(models), func(m embedding.Model) bool { return !m.Instant })
}

// openMultilingual opens a store with the vectors of the multilingual model alone; nil without such a model.
func openMultilingual(ctx context.Context, o *eval.EngineOptions, docs []*hippo.Memory) (*engine.Engine, error) {
	i := slices.IndexFunc(o.Models, func(m embedding.Model) bool { return m.Channel == retrieve.Multilingual })
	if i < 0 {
		return nil, nil
	}
	alone := o.Models[i]
	alone.Channel, alone.Optional = retrieve.Semantic, false
	only := *o
	only.Models, only.Tokens, only.Ranker = []embedding.Model{alone}, nil, hippo.RankerCosine
	return eval.OpenEngine(ctx, docs, &only)
}

// openHalf opens a store in which every other memory has been embedded before the encoders stopped.
func openHalf(ctx context.Context, o *eval.EngineOptions, docs []*hippo.Memory) (*engine.Engine, error) {
	half := *o
	half.Models = slices.Clone(o.Models)
	var gates []*gate
	for i, m := range half.Models {
		if !m.Instant {
			g := &gate{Embedder: m.Embedder}
			half.Models[i].Embedder, gates = g, append(gates, g)
		}
	}
	var first, second []*hippo.Memory
	for i, m := range docs {
		if i%2 == 0 {
			first = append(first, m)
		} else {
			second = append(second, m)
		}
	}
	e, err := eval.OpenEngine(ctx, first, &half)
	if err != nil {
		return nil, err
	}
	for _, g := range gates {
		g.shut.Store(true)
	}
	report, err := transfer.New(e.In(eval.Scope())).AllowSecrets().Import(ctx, hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		for _, m := range second {
			if !yield(m.Clone(), nil) {
				return
			}
		}
	}, nil)
	for _, r := range report.Rejected {
		err = errors.Join(err, r.Err)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// gate is a model that embeds no more memories once it is shut.
type gate struct {
	embed.Embedder
	shut atomic.Bool
}

// Embed implements [embed.Embedder].
func (g *gate) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	if role == embed.Passage && g.shut.Load() {
		return nil, embed.ErrNotReady
	}
	return g.Embedder.Embed(ctx, role, texts)
}

// deep is how many candidates of each part are compared token by token.
const deep = 100

// ask returns what each way finds, best first.
func (s *searched) ask(ctx context.Context, text string) (map[string][]string, error) {
	found := make(map[string][]string)
	var candidates []string
	ask := func(name string, e *engine.Engine, q hippo.Query) error {
		q.Text, q.NoTouch = text, true
		a, err := query.Search(ctx, e.In(eval.Scope()), q)
		if err != nil {
			return err
		}
		found[name] = make([]string, 0, len(a.Hits))
		for _, h := range a.Hits {
			found[name] = append(found[name], eval.Name(h.Memory))
		}
		if q.Count == deep {
			candidates = append(candidates, found[name]...)
		}
		return nil
	}
	every := &hippo.Range{Max: math.Inf(1)} // whatever the relevance
	part := func(name string, e *engine.Engine, r hippo.Ranker) error {
		return ask(name, e, hippo.Query{Ranker: r, Count: deep, Relevance: every})
	}
	err := errors.Join(
		ask(byDefault, s.Engine, hippo.Query{Count: eval.Depth}),
		part(byLexical, s.Engine, hippo.RankerBM25),
		part(byCosine, s.Engine, hippo.RankerCosine),
		ask(byHybrid, s.Engine, hippo.Query{Ranker: hippo.RankerHybrid, Count: eval.Depth}),
	)
	if s.multilingual != nil {
		err = errors.Join(err, part(byMultilingual, s.multilingual, hippo.RankerCosine))
	}
	if s.tokens != nil {
		found[byTokens] = s.tokens.order(text, candidates)
	}
	return found, err
}
