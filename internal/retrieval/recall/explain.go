package recall

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// explain adds explanations to the hits of a ranking, if the query asks for them. hits are the same ones.
func (out *Ranking) explain(p *Plan, found *retrieve.Result, r reranked, hits []hit) {
	if !p.explain {
		return
	}
	lexical, semantic := ranks(p, found)
	for i := range hits {
		h, x := &hits[i], &hippo.Explanation{}
		if h.via == hippo.ViaText {
			parts := p.explanation(h, r)
			parts.Searched = found.MaxScore > 0 || p.semantic()
			x = rank.Explain(p.weights, parts, &h.signals)
		}
		x.Via, x.LexicalRank, x.SemanticRank = h.via, lexical[h.match.Doc], semantic[h.match.Doc]
		out.Hits[i].Explanation = x
	}
}

// explanation returns the parts of the relevance of a hit.
func (p *Plan) explanation(h *hit, r reranked) rank.Explanation {
	x := rank.Explanation{Ranker: p.ranker, Length: h.length, BM25Relative: h.bm25, Multilingual: h.match.Multilingual}
	if passage := r.of(h.match.Doc); passage != nil {
		features := passage.features // the explanation outlives the passages
		x.Features, x.Context, x.Lesson = &features, r.context, passage.votes.lesson
	}
	return x
}

// ranks returns the ranks of all matches in the two lists of candidates, from 1.
func ranks(p *Plan, found *retrieve.Result) (lexical, semantic map[retrieve.Doc]int) {
	v := &p.search.Vectors[retrieve.Semantic]
	exact := func(m *retrieve.Match) float64 { // approximate cosines would swap close ranks
		if m.Cosine > 0 {
			return found.Reader.Cosine(m.Doc)
		}
		return 0
	}
	return rankedBy(found, func(m *retrieve.Match) float64 { return m.Score }, 0, len(found.Matches)), rankedBy(found, exact, max(0, v.MinCosine), v.TopK)
}

// rankedBy returns the ranks of the first limit matches by a score that is above least. Ties share a
// rank.
func rankedBy(found *retrieve.Result, score func(*retrieve.Match) float64, least float64, limit int) map[retrieve.Doc]int {
	type scoredDoc struct {
		doc retrieve.Doc
		by  float64
	}
	var list []scoredDoc
	for i := range found.Matches {
		if x := (scoredDoc{found.Matches[i].Doc, score(&found.Matches[i])}); x.by > least {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b scoredDoc) int { return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.doc, b.doc)) })
	out := make(map[retrieve.Doc]int)
	n := 1
	for i, l := range firstOf(list, limit) {
		if i > 0 && l.by < list[i-1].by {
			n = i + 1
		}
		out[l.doc] = n
	}
	return out
}
