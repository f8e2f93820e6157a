package engine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/entity"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

// hybrid answers a query by ranker hybrid. What the seeds mention is found in their
// texts, which only the store has; so the index is asked a second time where that is
// not remembered, and once more if they are others by then.
func (e *Engine) hybrid(ctx context.Context, q hippo.Query, a asked, day hippo.Day, keep int) (*order, error) {
	const tries = 3
	k := knowledge{
		mention: e.mention, linker: e.linker, query: mentionsOf(q.Text),
		entities: make(map[wanted][]entity.Entity), links: make(map[hippo.ID][]link),
	}
	if k.linker == nil && e.store.HasRelations() {
		k.linker = stored{e}
	}
	for try := 1; ; try++ {
		var o *order
		var missing []wanted
		e.index.View(func(v *index.View) {
			h := newHybrid(v, e, &q)
			h.clock, h.look, h.meaning = e.days.At(day), e.look, a.vector != nil
			iq := e.ask(&q, &a)
			h.search(iq)
			if missing = k.missing(h.seeds); len(missing) > 0 && try < tries {
				return
			}
			o = &order{day: day, degraded: a.degraded}
			h.walk(&k, e.now().UnixMicro())
			h.rank(o, keep)
			if q.Explain {
				o.explain = newExplainer(v, &h.ranking, &q, &iq, o.hits, nil, h.matches)
				o.explain.walked(h)
			}
		})
		if o != nil {
			return o, nil
		}
		if err := k.load(ctx, missing); err != nil {
			return nil, err
		}
	}
}

// hybrid is the ranking of one search. It lives as long as its View.
type hybrid struct {
	ranking
	v   *index.View
	mix *rank.Mix
	// at is when edges must hold, 0 for now.
	at      int64
	matches []index.Match
	// union are the memories that are ranked by all signals, by document.
	union map[uint32]*mixed
	seeds []seed
	// words and cosine are the scales of the union.
	words, cosine scale
}

// mixed is a memory of the union.
type mixed struct {
	match *index.Match
	graph float64
	// places is the sum over the lists it is in.
	places float64
}

// seed is a memory that the walk starts from.
type seed struct {
	doc    uint32
	of     wanted
	weight float64
}

func newHybrid(v *index.View, e *Engine, q *hippo.Query) *hybrid {
	h := &hybrid{v: v, mix: &e.weights.Mix, union: make(map[uint32]*mixed)}
	h.weights, h.within = e.weights, limits(e.rangeOf(*q))
	h.relevance, _ = rank.For(q.Ranker)
	if t := q.Filter.ValidAt; !t.IsZero() {
		h.at = t.UnixMicro()
	}
	return h
}

// search finds the best matches by words and by meaning, and the seeds.
func (h *hybrid) search(q index.Query) {
	found := h.v.Search(q)
	h.matches, h.most = found.Matches, found.MaxScore
	for i := range h.matches {
		h.best = max(h.best, h.matches[i].Score)
	}
	h.list(func(m *index.Match) float64 { return m.Score })
	h.list(func(m *index.Match) float64 { return m.Cosine })
	var all []candidate
	for doc, x := range h.union {
		row := h.v.Row(doc)
		all = append(all, candidate{id: row.ID, created: row.CreatedAt, relevance: x.places, match: x.match})
	}
	slices.SortFunc(all, better)
	h.scale()
	for _, c := range all[:min(len(all), h.mix.Seeds)] {
		doc := c.match.Doc
		score := h.mixed(c.match, 0)
		h.seeds = append(h.seeds, seed{doc, wanted{c.id, h.v.Text(doc)}, math.Pow(score, h.mix.SeedPower)})
	}
}

// scale finds the bounds of the union.
func (h *hybrid) scale() {
	first := true
	for _, x := range h.union {
		if first {
			h.words, h.cosine = scale{x.match.Score, x.match.Score}, scale{x.match.Cosine, x.match.Cosine}
			first = false
		}
		h.words.include(x.match.Score)
		h.cosine.include(x.match.Cosine)
	}
}

// list adds the best matches by one score, above 0, to the union.
func (h *hybrid) list(score func(*index.Match) float64) {
	best := newBest(h.mix.List)
	for i := range h.matches {
		m := &h.matches[i]
		if s := score(m); s > 0 && best.wants(s) {
			row := h.v.Row(m.Doc)
			best.Add(candidate{id: row.ID, created: row.CreatedAt, relevance: s, match: m})
		}
	}
	for place, c := range best.Sorted() {
		x := h.union[c.match.Doc]
		if x == nil {
			x = &mixed{match: c.match}
			h.union[c.match.Doc] = x
		}
		x.places += 1 / (h.mix.Place + float64(place+1))
	}
}

// walk adds what the graph finds to the union.
func (h *hybrid) walk(k *knowledge, now int64) {
	if len(h.seeds) == 0 {
		return
	}
	g := newGrowth(h.v, h.mix)
	g.mentioned(h.seeds, k)
	g.grow(h.seeds, k)
	most := 0.0
	missing := make(map[uint32]*mixed)
	for doc, p := range g.walk(h.seeds, k, cmp.Or(h.at, now)) {
		x := h.union[doc]
		if x == nil {
			x = &mixed{}
			h.union[doc], missing[doc] = x, x
		}
		x.graph = p
		most = max(most, p)
	}
	for i := range h.matches {
		if x := missing[h.matches[i].Doc]; x != nil {
			x.match = &h.matches[i]
		}
	}
	for doc, x := range missing {
		if x.match == nil {
			x.match = &index.Match{Doc: doc, Context: h.v.Context(doc)}
		}
	}
	s := scale{0, most}
	for _, x := range h.union {
		x.graph = s.of(x.graph)
	}
}

// rank orders all there is: the union by all signals, the rest by words and meaning on
// the same scales.
func (h *hybrid) rank(o *order, keep int) {
	if h.meaning {
		for doc, x := range h.union {
			x.match.Cosine = h.v.Cosine(doc)
		}
	}
	h.scale()
	best := newBest(keep)
	for _, x := range h.union {
		h.take(x.match, x.graph, o, best)
	}
	for i := range h.matches {
		if m := &h.matches[i]; h.union[m.Doc] == nil {
			h.take(m, 0, o, best)
		}
	}
	for _, c := range best.Sorted() {
		graph := 0.0
		if x := h.union[c.match.Doc]; x != nil {
			graph = x.graph
		}
		s := *h.signals(h.v, c.match)
		s.Graph, s.Text = graph, h.mixed(c.match, graph)
		c.match = nil // it lies in memory of the View, and the order is kept
		o.hits = append(o.hits, ranked{candidate: c, signals: &s})
	}
}

// take counts a memory, and keeps it if it is among the best.
func (h *hybrid) take(m *index.Match, graph float64, o *order, best best) {
	relevance := h.relevance(&h.weights, &hippo.Signals{Text: h.mixed(m, graph)})
	if h.meaning && h.within.near(relevance) {
		m.Cosine = h.v.Cosine(m.Doc)
		relevance = h.relevance(&h.weights, &hippo.Signals{Text: h.mixed(m, graph)})
	}
	o.distribution.Add(relevance)
	if !h.within.has(relevance) {
		return
	}
	o.total++
	if best.wants(relevance) {
		row := h.v.Row(m.Doc)
		best.Add(candidate{id: row.ID, created: row.CreatedAt, relevance: relevance, match: m})
	}
}

// mixed adds up what is known of a memory.
func (h *hybrid) mixed(m *index.Match, graph float64) float64 {
	return rank.MixOf(h.mix, h.cosine.of(m.Cosine), h.words.of(m.Score), graph)
}

// scale is what numbers are made shares of.
type scale struct{ min, max float64 }

func (s *scale) include(x float64) { s.min, s.max = min(s.min, x), max(s.max, x) }

// of returns where x lies between the bounds, in [0, 1]; where they are the same, all
// that is above 0 is 1.
func (s *scale) of(x float64) float64 {
	switch {
	case x <= 0 || x < s.min:
		return 0
	case x >= s.max:
		return 1
	default:
		return (x - s.min) / (s.max - s.min)
	}
}
