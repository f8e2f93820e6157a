package memoryservice

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// Scores of results that no ranking made.
const (
	scoreExact  = 1.0
	scoreListed = 0.5 // only filters were given
)

// fewResults is the number of results below which fallback searches on.
const fewResults = 3

// search is a search in the terms of this system.
type search struct {
	d.Selection
	query      string
	exact      bool
	limit      int
	superseded bool
	fallback   bool
	weights    *weights
	least      float64 // score
}

// weights of the parts of a score; they need not sum to 1.
type weights struct{ semantic, timeDecay, access, quality float64 }

func (w *weights) score(h *hippo.Hit, importance float64) float64 {
	total := w.semantic + w.timeDecay + w.access + w.quality
	return (w.semantic*h.Relevance + w.timeDecay*h.Signals.Recency + w.access*h.Signals.Frequency + w.quality*importance) / total
}

// result is one result; via names the fallback that found it.
type result struct {
	*hippo.Memory
	score float64
	via   string
	// similarity is the cosine in the form of claude-hippo, where a model has compared.
	similarity float64
	// contradicts says which fact the text contradicts.
	contradicts string
}

// results are what a search found, and what must be said about them.
type results struct {
	list []result
	weak string
	// facts are of the entities that the query names.
	facts []hippo.Fact
	via   []string // fallbacks that found something
}

func (s *search) run(ctx context.Context, c *d.Call) (*results, error) {
	if s.exact || strings.TrimSpace(s.query) == "" {
		score := scoreListed
		if s.exact {
			score = scoreExact
		}
		list, err := s.containing(ctx, c, s.query, score)
		return &results{list: list}, err
	}
	out, err := s.ranked(ctx, c)
	if err == nil && s.fallback && len(out.list) < fewResults {
		err = s.fallBack(ctx, c, out)
	}
	return out, err
}

// containing returns the memories of the selection that contain a text in any case: those that hold first, the newest first.
func (s *search) containing(ctx context.Context, c *d.Call, text string, score float64) ([]result, error) {
	ms, err := s.Every(ctx, c)
	if err != nil {
		return nil, err
	}
	var out []result
	text = strings.ToLower(text)
	for _, m := range ms {
		if len(out) < s.limit && s.keeps(m) && strings.Contains(strings.ToLower(m.Content), text) {
			out = append(out, result{Memory: m, score: score})
		}
	}
	return out, nil
}

func (s *search) keeps(m *hippo.Memory) bool { return s.superseded || m.SupersededBy.IsZero() }

// ranked returns the best by the ranking of the engine, weighted again if weights are given.
func (s *search) ranked(ctx context.Context, c *d.Call) (*results, error) {
	out := &results{}
	at := make(map[hippo.ID]int)
	for _, f := range s.Filters() {
		a, hits, err := s.page(ctx, c, f)
		if err != nil {
			return nil, err
		}
		out.weak = cmp.Or(out.weak, a.Weak)
		out.facts = append(out.facts, a.Facts...)
		for i, score := range s.scores(c, a, hits) {
			h := &hits[i]
			if k, ok := at[h.Memory.ID]; ok {
				out.list[k].score = max(out.list[k].score, score)
			} else if score >= s.least {
				at[h.Memory.ID] = len(out.list)
				out.list = append(out.list, result{Memory: h.Memory, score: score, similarity: query.Similarity(h), contradicts: query.ContradictionNote(h.ContradictedBy, c.Now)})
			}
		}
	}
	engine.HoldingFirst(out.list, func(r result) bool { return r.StateAt(c.Now) == hippo.Holds })
	slices.SortStableFunc(out.list, func(a, b result) int { return cmp.Compare(b.score, a.score) })
	out.list = out.list[:min(len(out.list), s.limit)]
	return out, nil
}

// scores returns the scores of hits, weighted again if weights are given: what does not hold stays behind what holds and is as
// relevant.
func (s *search) scores(c *d.Call, a *hippo.Answer, hits []hippo.Hit) []float64 {
	out := make([]float64, len(hits))
	for i := range hits {
		if out[i] = hits[i].Relevance; s.weights != nil {
			out[i] = s.weights.score(&hits[i], c.Importance(hits[i].Memory, a.Day))
		}
	}
	query.Rescored(hits, out, c.Now)
	return out
}

// maxPages bounds how many pages are read in search of what is not superseded.
const maxPages = 5

// page returns enough hits of one filter: superseded ones do not take the place of others.
func (s *search) page(ctx context.Context, c *d.Call, f hippo.Filter) (first *hippo.Answer, hits []hippo.Hit, err error) {
	q := hippo.Query{Text: s.query, Filter: f, When: s.When, Count: s.limit, Detail: hippo.Detail{Each: true, NoDistribution: true}}
	if s.weights != nil {
		q.Count, q.NoTouch = min(3*s.limit, hippo.MaxCount), true
	}
	for range maxPages {
		a, err := query.Search(ctx, c.Memories, q)
		if err != nil {
			return nil, nil, err
		}
		if first == nil {
			first = a
		}
		for i := range a.Hits {
			if s.keeps(a.Hits[i].Memory) {
				hits = append(hits, a.Hits[i])
			}
		}
		if q.Offset += q.Count; len(hits) >= s.limit || q.Offset >= a.Total {
			break
		}
	}
	return first, hits, nil
}

// fallBack adds what contains the query, then what has one of its words as a tag.
func (s *search) fallBack(ctx context.Context, c *d.Call, out *results) error {
	exact, err := s.containing(ctx, c, s.query, scoreExact)
	if err != nil {
		return err
	}
	out.add("exact", exact, s.limit)
	byTag := *s
	byTag.Tags, byTag.All = normalTags(strings.Fields(s.query)), false
	byTag.Tags = byTag.Tags[:min(len(byTag.Tags), hippo.MaxTags)]
	tagged, err := byTag.containing(ctx, c, "", scoreListed)
	if err != nil {
		return err
	}
	out.add("tag", tagged, s.limit)
	return nil
}

// add adds what a fallback found and the list lacks.
func (r *results) add(via string, more []result, limit int) {
	n := len(r.list)
	for _, x := range more {
		known := slices.ContainsFunc(r.list, func(y result) bool { return y.ID == x.ID })
		if !known && len(r.list) < limit {
			x.via = via + "_fallback"
			r.list = append(r.list, x)
		}
	}
	if len(r.list) > n {
		r.via = append(r.via, via)
	}
}
