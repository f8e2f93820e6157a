package recall

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// rankSurprise answers a query by similarity and surprise, and by the associations of the best hit, as
// the mode says. Memories without a surprise count as if they had the mean of those that match;
// in mode exact by their similarity alone.
func (s *Searcher) rankSurprise(ctx context.Context, p *Plan, found *retrieve.Result) (*Ranking, error) {
	y := newSurprising(p, found, s.now())
	out := settle(p, found, y.semantic()) // associations begin at what holds
	if p.mode == hippo.ModeAssociative || p.mode == hippo.ModeHybrid {
		var err error
		if out, err = s.associate(ctx, y, out); err != nil {
			return nil, err
		}
		out = settle(p, found, out)
	}
	return newRanking(p, found, reranked{}, out), nil
}

// surprising ranks matches by surprise.
type surprising struct {
	firstStage
	now   int64 // microseconds since 1970
	exact bool
	// vectors: the query has a vector; else the lexical relevance stands for the similarity.
	vectors bool
	usual   float64 // the surprise of a memory that has none
}

func newSurprising(p *Plan, found *retrieve.Result, now time.Time) *surprising {
	y := &surprising{firstStage: newFirstStage(p, found), now: now.UnixMicro(), exact: p.mode == hippo.ModeExact, vectors: p.semantic()}
	sum, n := 0.0, 0
	for i := range found.Matches {
		if row := found.Reader.Row(found.Matches[i].Doc); row.Scored {
			sum += row.Surprise
			n++
		}
	}
	if n > 0 {
		y.usual = sum / float64(n)
	}
	return y
}

// hit returns a match with its relevance by an exact cosine.
func (y *surprising) hit(m retrieve.Match) hit {
	if y.vectors {
		m.Cosine = y.found.Reader.Cosine(m.Doc)
	}
	return y.rank(m)
}

// rank returns a match with its relevance.
func (y *surprising) rank(m retrieve.Match) hit {
	const day = float64(24 * time.Hour / time.Microsecond)
	h := hit{candidate: candidate{Key: y.found.Reader.Key(m.Doc), match: m}, first: y.of(&m)}
	row, w, s := y.found.Reader.Row(m.Doc), &y.weights.Surprise, &h.signals
	if s.Text = s.Lexical; y.vectors {
		s.Text = rank.UnitSimilarity(m.Cosine)
	}
	if !row.Scored && y.exact {
		s.Prior, h.relevance = 0, rank.ByText(y.weights, s)
		return h
	}
	surprise := y.usual
	if row.Scored {
		surprise = row.Surprise
	}
	s.Prior = w.Decayed(surprise, float64(y.now-h.CreatedAt)/day, y.exact)
	h.relevance = y.relevance(y.weights, s)
	return h
}

// semantic ranks all matches; in mode exact some of the most similar ones.
func (y *surprising) semantic() ranking {
	matches := y.found.Matches
	if n := y.weights.Surprise.Oversample * y.hits; y.exact && n < len(matches) {
		matches = slices.Clone(matches)
		key := func(m *retrieve.Match) candidate {
			return candidate{Key: y.found.Reader.Key(m.Doc), relevance: m.Cosine}
		}
		slices.SortFunc(matches, func(a, b retrieve.Match) int { return better(key(&a), key(&b)) })
		matches = matches[:n]
	}
	var out ranking
	best := top.New(y.keep, betterHit)
	for i := range matches {
		h := y.rank(matches[i])
		in := y.within.has(h.relevance)
		out.tally.add(h.relevance, in)
		if b := best.Bound(); in && (b == nil || h.relevance >= b.relevance) {
			best.Add(h)
		}
	}
	for _, h := range best.Sorted() {
		better := y.hit(h.match)
		if !y.within.has(better.relevance) {
			better = h
		}
		out.tally.move(&h.relevance, better.relevance, y.within)
		out.hits = append(out.hits, better)
	}
	slices.SortFunc(out.hits, betterHit)
	return out
}

// associate adds the associations of the best hit, the seed, with the weights of their relations. In mode
// associative the others are left out, and the seed counts as relevant.
func (s *Searcher) associate(ctx context.Context, y *surprising, in ranking) (ranking, error) {
	if len(in.hits) == 0 {
		return in, nil
	}
	seed := in.hits[0]
	links, err := s.relations.Relations(ctx, y.search.Scope, []hippo.ID{seed.ID}, y.at(s.now()), y.weights.Surprise.Neighbours)
	if err != nil {
		return in, err
	}
	slices.SortStableFunc(links, func(a, b hippo.Relation) int { return cmp.Compare(b.Weight, a.Weight) })
	out := in
	if y.mode == hippo.ModeAssociative {
		seed.relevance = rank.ByText(y.weights, &hippo.Signals{Text: 1, Lapsed: seed.signals.Lapsed})
		out = ranking{hits: []hit{seed}}
		out.tally.add(1, true)
	}
	for _, l := range firstOf(links, y.weights.Surprise.Neighbours) {
		id := l.Other(seed.ID)
		if slices.ContainsFunc(out.hits, func(h hit) bool { return h.ID == id }) {
			continue
		}
		if h, ok := y.neighbour(id, l.Weight); ok {
			out.tally.add(h.relevance, true)
			out.hits = append(out.hits, h)
		}
	}
	slices.SortFunc(out.hits, betterHit)
	return out, nil
}

// neighbour returns a memory that an association of a weight leads to, if it passes the filters.
func (y *surprising) neighbour(id hippo.ID, weight float64) (h hit, ok bool) {
	m, ok := admitted(y.found.Reader, id)
	if !ok {
		return h, false
	}
	h = y.hit(m)
	h.relevance, h.via, h.signals.Related = rank.ByText(y.weights, &hippo.Signals{Text: min(max(weight, 0), 1), Lapsed: h.signals.Lapsed}), hippo.ViaRelation, weight
	return h, y.within.has(h.relevance)
}
