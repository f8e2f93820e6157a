package shodh

import (
	"cmp"
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

// modes returns the modes of recall, and other names that clients have for them.
func modes() []string {
	return []string{"semantic", "associative", "hybrid", "assoc", "hebbian", "mixed"}
}

// rankerOf returns the ranker for a mode; that of hybrid without one.
func rankerOf(mode string) hippo.Ranker {
	switch mode {
	case "semantic":
		return hippo.RankerCosine
	case "associative", "assoc", "hebbian":
		return hippo.RankerHybrid
	default:
		return hippo.RankerHippo
	}
}

// overFetch is how many times the limit is ranked again by quality, and defaultQuality the default weight
// of quality. Source: the SHODH server for Cloudflare Workers, and the document.
const (
	overFetch      = 3
	defaultQuality = 0.3
)

// recalled is RecallResponse of the document, with what is to be said of the answer.
type recalled struct {
	Memories []memoryJSON `json:"memories"`
	Count    int          `json:"count"`
	Query    string       `json:"query,omitempty"`
	// Weak says why the memories may well not answer the query.
	Weak string `json:"weak,omitempty"`
	// Degraded lists the parts of the search that were not available.
	Degraded []string `json:"degraded,omitempty"`
}

// result is one memory of an answer to recall.
type result struct {
	hit        *hippo.Hit
	importance float64
	relevance  float64
}

func recall(ctx context.Context, c *call) (reply, error) {
	limit := c.Int("limit", defaultRecall)
	q := hippo.Query{Text: c.Text("query"), Count: limit, Ranker: rankerOf(c.Text("mode")), Detail: hippo.Detail{Each: true, NoDistribution: true}}
	boost := c.Flag("quality_boost")
	if boost { // what is ranked again and left out is no use of it
		q.Count, q.NoTouch = overFetch*limit, true
	}
	out := recalled{Memories: []memoryJSON{}, Query: q.Text}
	var possible bool
	var err error
	if q.Filter.Types, possible, err = storedTypes(ctx, c, verb.Of[[]string](c.Input, "memory_types", nil)); err != nil || !possible {
		return reply{body: out}, err
	}
	a, err := query.Search(ctx, c.Memories, q)
	if err != nil {
		return reply{}, err
	}
	results := make([]result, len(a.Hits))
	for i := range a.Hits {
		h := &a.Hits[i]
		results[i] = result{h, c.Importance(h.Memory, a.Day), unit(h.Relevance)}
	}
	if boost {
		results = boosted(c, a.Hits, results, verb.Of(c.Input, "quality_weight", defaultQuality))
	}
	for _, r := range results[:min(len(results), limit)] {
		shown := memoryOf(r.hit.Memory, r.importance, c.Now())
		if note := query.ContradictionNote(r.hit.ContradictedBy, c.Now()); note != "" {
			shown = append(shown, member{"contradicted_by", note})
		}
		out.Memories = append(out.Memories, append(shown,
			member{"similarity_score", wire.Round(unit(r.hit.Signals.Cosine), 4)},
			member{"relevance_score", wire.Round(r.relevance, 4)}))
	}
	out.Count, out.Weak, out.Degraded = len(out.Memories), a.Weak, a.Degraded
	return reply{body: out}, nil
}

// boosted orders results, those of hits, by a weighted mean of relevance and quality.
func boosted(c *call, hits []hippo.Hit, results []result, weight float64) []result {
	scores := make([]float64, len(results))
	for i, r := range results {
		scores[i] = (1-weight)*r.relevance + weight*unit(r.importance)
	}
	query.Rescored(hits, scores, c.Now())
	for i := range results {
		results[i].relevance = scores[i]
	}
	engine.HoldingFirst(results, func(r result) bool { return r.hit.Memory.StateAt(c.Now()) == hippo.Holds })
	slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(b.relevance, a.relevance) })
	return results
}

// unit returns a score as the document allows it: in [0, 1].
func unit(score float64) float64 { return min(1, max(0, score)) }

// storedTypes returns the types, as they are stored, of the memories that an answer shows with one of some
// types of the document; possible is false if there are none. No types are a filter that all memories pass.
func storedTypes(ctx context.Context, c *call, types []string) (stored []string, possible bool, err error) {
	if len(types) == 0 {
		return nil, true, nil
	}
	counts, err := memory.Labels(ctx, c.Memories, hippo.Filter{})
	if err != nil {
		return nil, false, err
	}
	for t := range counts.Types {
		if slices.Contains(types, typeOf(t)) {
			stored = append(stored, t)
		}
	}
	slices.Sort(stored) // pages of a search are known by its filter
	return stored, len(stored) > 0, nil
}

func recallByTags(ctx context.Context, c *call) (reply, error) {
	l, err := withTags(ctx, c, c.Int("limit", defaultList))
	if err != nil {
		return reply{}, err
	}
	return reply{body: recalled{Memories: showAll(c, l.Memories, l.Day), Count: len(l.Memories)}}, nil
}
