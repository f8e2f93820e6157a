package memorymcp

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

// The modes of search_memory; the default is that of Hippo.
const (
	modeVector = "vector"
	modeBM25   = "bm25"
)

// defaultFound is the number of results of the tools of the design.
const defaultFound = 10

// searching returns the tools that search.
func searching() []d.Tool {
	words := verb.Arg{Name: "query", Field: "Text name", Is: verb.Required, To: verb.New[string]}
	score := verb.Arg{Name: "min_score", Field: "Relevance", Rules: verb.Between(0, 1), To: verb.New[float64]}
	weight := func(name string, standard float64) verb.Arg {
		return verb.Arg{Name: name, Rules: verb.Between(0, 1, standard), To: verb.New[float64]}
	}
	return []d.Tool{
		{
			Name: "search_memory", Description: "Find memories that hold now, the best first.", ReadOnly: true, Call: callSearch,
			Params: verb.With(verb.Table{words, limitParam(defaultLimit), {Name: "mode", Field: "Ranker", About: "default: all together", Values: []string{modeVector, modeBM25}, To: verb.New[string]}, score}, selectParams()...),
		},
		{
			Name: "recall", Description: "Find memories by meaning, words and graph, with weights of your own.", ReadOnly: true, Call: callRecall,
			Params: verb.With(verb.Table{words, limitParam(defaultLimit), weight("vector_weight", vectorWeight), weight("bm25_weight", bm25Weight), weight("ppr_weight", graphWeight), score}, selectParams()...),
		},
		{Name: "search", Description: "The same as search_memory.", ReadOnly: true, Call: callSearchOld, Unlisted: true, Params: verb.With(verb.Table{words, limitParam(defaultFound), score}, selectParams()...)},
		{Name: "search_text", Description: "Find memories by words alone.", ReadOnly: true, Call: callSearchText, Unlisted: true, Params: verb.With(verb.Table{words, limitParam(defaultFound), score}, selectParams()...)},
	}
}

// The weights of a recall. Source: the design of memory-mcp, which ranker hybrid follows as well.
const (
	vectorWeight = .40
	bm25Weight   = .15
	graphWeight  = .45
)

// found is a result of a search.
type found struct {
	ID         string   `json:"id"`
	Content    string   `json:"content"`
	MemoryType string   `json:"memory_type"`
	Score      float64  `json:"score"`
	Flags      []string `json:"flags,omitempty"`
	// State is absent for a memory that holds.
	State hippo.State `json:"state,omitempty"`
	// ContradictedBy says which fact the text contradicts.
	ContradictedBy string `json:"contradicted_by,omitempty"`
}

// answer is the result of a search.
type answer struct {
	Results []found `json:"results"`
	note
}

// note is what a search says beside its results. Weak says why they may well not answer the query.
type note struct {
	Count       int          `json:"count"`
	Query       string       `json:"query"`
	Weak        string       `json:"weak,omitempty"`
	Diagnostics *diagnostics `json:"diagnostics,omitempty"`
}

// diagnostics say why a search had less to go by.
type diagnostics struct {
	Reason string `json:"degraded_reason"`
}

func foundOf(h *hippo.Hit, now time.Time) found {
	return found{ID: keyOf(h.Memory.ID), Content: h.Memory.Content, MemoryType: typeOf(h.Memory), Score: wire.Round(h.Relevance, 4), Flags: wire.Flags(h.Memory), State: wire.StateOf(h.Memory, now), ContradictedBy: query.ContradictionNote(h.ContradictedBy, now)}
}

func noteOf(c *d.Call, a *hippo.Answer) note {
	n := note{Count: len(a.Hits), Query: c.Text("query"), Weak: a.Weak}
	if len(a.Degraded) > 0 {
		n.Diagnostics = &diagnostics{strings.Join(a.Degraded, "; ")}
	}
	return n
}

func callSearch(ctx context.Context, c *d.Call) (d.Result, error) {
	ranker := hippo.RankerHippo
	switch c.Text("mode") {
	case modeVector:
		ranker = hippo.RankerCosine
	case modeBM25:
		ranker = hippo.RankerBM25
	}
	return search(ctx, c, ranker, defaultLimit)
}

func callSearchOld(ctx context.Context, c *d.Call) (d.Result, error) {
	return search(ctx, c, hippo.RankerHippo, defaultFound)
}

func callSearchText(ctx context.Context, c *d.Call) (d.Result, error) {
	return search(ctx, c, hippo.RankerBM25, defaultFound)
}

func search(ctx context.Context, c *d.Call, ranker hippo.Ranker, standard int) (d.Result, error) {
	a, err := ask(ctx, c, &hippo.Query{Ranker: ranker, Count: c.Int("limit", standard), Detail: hippo.Detail{Each: true}})
	if err != nil {
		return d.Result{}, err
	}
	out := answer{Results: make([]found, len(a.Hits)), note: noteOf(c, a)}
	for i := range a.Hits {
		out.Results[i] = foundOf(&a.Hits[i], c.Now)
	}
	return d.JSON(out, len(a.Hits))
}

// limitOf returns the argument limit. Its default depends on the tool.
func limitOf(c *d.Call) int { return c.Int("limit", defaultLimit) }

// ask answers a query with the text and the filters of the arguments. What does not hold now is left out, unless a time is given.
func ask(ctx context.Context, c *d.Call, q *hippo.Query) (*hippo.Answer, error) {
	s, err := selectionOf(ctx, c)
	if err != nil {
		return nil, err
	}
	q.Text, q.Filter = c.Text("query"), s.filter
	if q.Filter.ValidAt.IsZero() {
		q.Filter.ValidAt = c.Now
	}
	if c.Has("min_score") {
		q.Relevance = &hippo.Range{Min: c.Number("min_score", 0), Max: math.Inf(1)}
	}
	if !s.narrows() {
		return query.Search(ctx, c.Memories, *q)
	}
	return s.sift(ctx, c, q)
}

// sift answers a query with what the selection admits, from as many pages as it takes. They are not counted as used.
func (s *selection) sift(ctx context.Context, c *d.Call, q *hippo.Query) (*hippo.Answer, error) {
	limit := q.Count
	q.Count, q.NoTouch = hippo.MaxCount, true
	var hits []hippo.Hit
	for {
		a, err := query.Search(ctx, c.Memories, *q)
		if err != nil {
			return nil, err
		}
		for _, h := range a.Hits {
			if s.admits(h.Memory) && len(hits) < limit {
				hits = append(hits, h)
			}
		}
		if q.Offset += hippo.MaxCount; len(hits) == limit || q.Offset >= a.Total {
			a.Hits = hits
			return a, nil
		}
	}
}

// recalled is a result of a recall, with the scores that its own is the weighted mean of.
type recalled struct {
	found
	Vector float64 `json:"vector_score"`
	BM25   float64 `json:"bm25_score"`
	PPR    float64 `json:"ppr_score"`
}

// weights are the shares of the score of a recall.
type weights struct {
	Vector float64 `json:"vector"`
	BM25   float64 `json:"bm25"`
	PPR    float64 `json:"ppr"`
}

// weightsOf reads the weights; own: they are not the default.
func weightsOf(c *d.Call) (w weights, own bool, err error) {
	w = weights{c.Number("vector_weight", vectorWeight), c.Number("bm25_weight", bm25Weight), c.Number("ppr_weight", graphWeight)}
	if w.Vector+w.BM25+w.PPR <= 0 {
		return w, true, hippo.Fieldf("vector_weight", "bm25_weight and ppr_weight must not all be 0")
	}
	return w, w != weights{vectorWeight, bm25Weight, graphWeight}, nil
}

// score is the weighted mean of the three scores.
func (w *weights) score(r *recalled) float64 {
	return (w.Vector*r.Vector + w.BM25*r.BM25 + w.PPR*r.PPR) / (w.Vector + w.BM25 + w.PPR)
}

// recallAnswer is the result of a recall.
type recallAnswer struct {
	Results []recalled `json:"results"`
	note
	Weights weights `json:"weights"`
}

// callRecall ranks by ranker hybrid. With other weights than its own it orders the best by the usual ones again, and they are not counted as used.
func callRecall(ctx context.Context, c *d.Call) (d.Result, error) {
	w, own, err := weightsOf(c)
	if err != nil {
		return d.Result{}, err
	}
	q := hippo.Query{Ranker: hippo.RankerHybrid, Count: limitOf(c), Detail: hippo.Detail{Each: true, Explain: true}}
	if own {
		q.Count, q.NoTouch = hippo.MaxCount, true
	}
	least := c.Number("min_score", 0)
	delete(c.Input, "min_score") // it is one of the score with these weights
	a, err := ask(ctx, c, &q)
	if err != nil {
		return d.Result{}, err
	}
	out := recallAnswer{note: noteOf(c, a), Weights: w, Results: []recalled{}}
	for i := range a.Hits {
		r := recalledOf(&a.Hits[i], c.Now)
		if own {
			r.Score = w.score(&r)
		}
		if r.Score >= least {
			out.Results = append(out.Results, r)
		}
	}
	if own {
		slices.SortStableFunc(out.Results, func(a, b recalled) int { return cmp.Compare(b.Score, a.Score) })
	}
	out.Results = out.Results[:min(len(out.Results), limitOf(c))]
	for i := range out.Results {
		r := &out.Results[i]
		r.Score, r.Vector, r.BM25, r.PPR = wire.Round(r.Score, 4), wire.Round(r.Vector, 4), wire.Round(r.BM25, 4), wire.Round(r.PPR, 4)
	}
	out.Count = len(out.Results)
	return d.JSON(out, out.Count)
}

func recalledOf(h *hippo.Hit, now time.Time) recalled {
	r := recalled{found: foundOf(h, now)}
	r.Score = h.Relevance
	if h.Explanation == nil {
		return r
	}
	for _, x := range h.Explanation.Text {
		switch x.Feature {
		case "cosine":
			r.Vector = x.Value
		case "bm25":
			r.BM25 = x.Value
		case "graph":
			r.PPR = x.Value
		}
	}
	return r
}
