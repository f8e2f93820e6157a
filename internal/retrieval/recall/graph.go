package recall

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// rankHybrid answers a query by the graph ranker, which ignores use and votes.
func (s *Searcher) rankHybrid(ctx context.Context, p *Plan, found *retrieve.Result) (*Ranking, error) {
	list, err := s.hybrid.Rank(ctx, found, &p.search, p.within.near)
	if err != nil {
		return nil, err
	}
	f := newFirstStage(p, found)
	byDoc := make(map[retrieve.Doc]*GraphHit, len(list))
	out, best := ranking{}, top.New(p.keep, better)
	for i := range list {
		g := &list[i]
		byDoc[g.Match.Doc] = g
		row := found.Reader.Row(g.Match.Doc)
		relevance := rank.ByText(p.weights, &hippo.Signals{Text: g.Relevance, Lapsed: f.lapsed(g.Match.Doc, &row)})
		in := p.within.has(relevance)
		out.tally.add(relevance, in)
		if in {
			best.Add(candidate{found.Reader.Key(g.Match.Doc), g.Match, relevance})
		}
	}
	for _, c := range best.Sorted() {
		h, g := hit{candidate: c, first: f.of(&c.match)}, byDoc[c.match.Doc]
		h.signals.Text = g.Relevance
		out.hits = append(out.hits, h)
	}
	out = settle(p, found, out)
	ranking := newRanking(p, found, reranked{}, out)
	for i := range out.hits {
		if h, x := &out.hits[i], ranking.Hits[i].Explanation; x != nil {
			x.Text, x.GraphRank = rank.Contributions(byDoc[h.match.Doc].Terms), byDoc[h.match.Doc].GraphRank
			if h.signals.Lapsed {
				x.Validity = rank.Lapsed
			}
		}
	}
	return ranking, nil
}
