package sources

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Page is a part of the hits: at most Count after the first Offset.
type Page struct{ Offset, Count int }

// end is the number of hits up to the end of the page.
func (p Page) end() int { return p.Offset + p.Count }

// Merge returns a page of the hits of a store and of source trees, by relevance on one scale; of equal ones insights come
// first. Each source keeps its own order. Its answer begins with its best hit and reaches to the end of the page, or is whole.
func Merge(memory *hippo.Answer, trees []*api.CodeAnswer, p Page) *api.SourcesAnswer {
	out := &api.SourcesAnswer{Insights: memory.Total, Trees: len(trees)}
	lists := [][]api.SourceHit{insightsOf(memory)}
	for _, t := range trees {
		lists = append(lists, chunksOf(t))
		out.Chunks += t.Total
		out.Notes = append(out.Notes, t.Notes...)
	}
	for range p.Offset {
		next(lists)
	}
	for len(out.Hits) < p.Count {
		h, ok := next(lists)
		if !ok {
			break
		}
		out.Hits = append(out.Hits, h)
	}
	out.Weak = weakness(memory, trees, out.Hits)
	out.Memory = among(memory, out.Hits)
	out.Memory.Weak = out.Weak
	return out
}

func insightsOf(a *hippo.Answer) []api.SourceHit {
	out := make([]api.SourceHit, len(a.Hits))
	for i := range a.Hits {
		out[i] = api.SourceHit{Insight: &a.Hits[i], Relevance: a.Hits[i].Relevance}
	}
	return out
}

func chunksOf(a *api.CodeAnswer) []api.SourceHit {
	out := make([]api.SourceHit, len(a.Hits))
	for i := range a.Hits {
		out[i] = api.SourceHit{Code: &a.Hits[i], Relevance: rank.OfCode(a.Hits[i].Relevance)}
	}
	return out
}

// next takes the most relevant of the first hits of some lists; false: all are empty.
func next(lists [][]api.SourceHit) (h api.SourceHit, ok bool) {
	best := -1
	for i, list := range lists {
		if len(list) > 0 && (best < 0 || list[0].Relevance > lists[best][0].Relevance) {
			best = i
		}
	}
	if best < 0 {
		return api.SourceHit{}, false
	}
	h, lists[best] = lists[best][0], lists[best][1:]
	return h, true
}

// among returns the answer of a store with those insights only that are among hits.
func among(memory *hippo.Answer, hits []api.SourceHit) hippo.Answer {
	out := *memory
	out.Hits, out.Conflicts = nil, nil
	shown := make(map[hippo.ID]bool)
	for _, h := range hits {
		if h.Insight != nil {
			out.Hits = append(out.Hits, *h.Insight)
			shown[h.Insight.Memory.ID] = true
		}
	}
	for _, c := range memory.Conflicts {
		if shown[c.A] && shown[c.B] {
			out.Conflicts = append(out.Conflicts, c)
		}
	}
	return out
}

// weakness returns why hits may not answer the question: each source that has some of them says so. Empty otherwise.
func weakness(memory *hippo.Answer, trees []*api.CodeAnswer, hits []api.SourceHit) string {
	var why []string
	if slices.ContainsFunc(hits, func(h api.SourceHit) bool { return h.Insight != nil }) {
		if memory.Weak == "" {
			return ""
		}
		why = append(why, "insights: "+memory.Weak)
	}
	for _, t := range trees {
		has := slices.ContainsFunc(hits, func(h api.SourceHit) bool {
			return h.Code != nil && slices.ContainsFunc(t.Hits, func(x api.CodeHit) bool { return x.Root == h.Code.Root })
		})
		switch {
		case has && t.Weak == "":
			return ""
		case has:
			why = append(why, "code: "+t.Weak)
		}
	}
	return strings.Join(why, "; ")
}
