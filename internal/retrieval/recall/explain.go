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
	byScore, byCosine := make([]docScore, 0, len(found.Matches)), make([]docScore, 0, len(found.Matches))
	for i := range found.Matches {
		m := &found.Matches[i]
		byScore = append(byScore, docScore{m.Doc, m.Score})
		if m.Cosine > 0 { // exact ones: approximate ones would swap close ranks
			byCosine = append(byCosine, docScore{m.Doc, found.Reader.Cosine(m.Doc)})
		}
	}
	return rankedBy(byScore, 0, len(byScore)), rankedBy(byCosine, max(0, v.MinCosine), v.TopK)
}

// docScore is a document with its sort key.
type docScore struct {
	doc retrieve.Doc
	by  float64
}

// rankedBy returns the ranks of the first limit documents that are above least. Ties share a
// rank.
func rankedBy(list []docScore, least float64, limit int) map[retrieve.Doc]int {
	slices.SortFunc(list, func(a, b docScore) int { return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.doc, b.doc)) })
	out := make(map[retrieve.Doc]int)
	n := 1
	for i, l := range firstOf(list, limit) {
		if l.by <= least {
			break
		}
		if i > 0 && l.by < list[i-1].by {
			n = i + 1
		}
		out[l.doc] = n
	}
	return out
}
