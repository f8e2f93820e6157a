package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

const (
	// linked is how many of the best hits a search looks for relations of, and
	// linksEach how many of each it looks at. What lies behind them is less relevant
	// and says less, and reading costs as much for it.
	linked    = 8
	linksEach = 8
	// pullers is how many of the best hits make others hits, and pulled how many
	// they make.
	pullers = 5
	pulled  = 5
	// learners is how many hits of a search learn that they were found together.
	learners = 3
)

// links returns the relations of memories that hold at a time, the strongest of each,
// with the weights of then, by From, To and Kind. A store without relations is not read.
func (e *Engine) links(ctx context.Context, ids []hippo.ID, at time.Time) ([]hippo.Relation, error) {
	if !e.store.HasRelations() {
		return nil, nil
	}
	rs, err := e.store.Relations(ctx, hippo.LocalScope(""), ids, at, linksEach)
	return e.weigh(rs, at), err
}

// stored are the relations in the store, as links of a graph.
type stored struct{ *Engine }

// Links implements [linker]: those of all times, as strong as they are now.
func (e stored) Links(ctx context.Context, ids []hippo.ID) ([]link, error) {
	rs, err := e.store.Relations(ctx, hippo.LocalScope(""), ids, time.Time{}, linksEach)
	if err != nil {
		return nil, err
	}
	out := make([]link, 0, len(rs))
	for _, r := range e.weigh(rs, e.now()) {
		l := link{a: r.From, b: r.To, weight: r.Weight}
		if !r.ValidFrom.IsZero() {
			l.from = r.ValidFrom.UnixMicro()
		}
		if !r.ValidUntil.IsZero() {
			l.until = r.ValidUntil.UnixMicro()
		}
		out = append(out, l)
	}
	return out, nil
}

// weigh sets the weights to those of a time.
func (e *Engine) weigh(rs []hippo.Relation, at time.Time) []hippo.Relation {
	for i := range rs {
		rs[i].Weight = e.weights.Relations.WeightAt(&rs[i], at)
	}
	return rs
}

// relate gives each passage the signal of its relations with the best matches, and
// returns those relations.
func (e *Engine) relate(ctx context.Context, q *hippo.Query, c *closer, r *ranking) ([]hippo.Relation, error) {
	if !e.store.HasRelations() {
		return nil, nil
	}
	at := q.Filter.ValidAt
	if at.IsZero() {
		at = e.now()
	}
	ids, relevance := c.found(r)
	links, err := e.links(ctx, ids, at)
	if len(links) == 0 {
		return nil, err
	}
	related := make(map[hippo.ID]float64, 2*len(links))
	for _, l := range links {
		related[l.From] = max(related[l.From], l.Weight*relevance[l.To])
		related[l.To] = max(related[l.To], l.Weight*relevance[l.From])
	}
	for i := range c.passages {
		c.passages[i].signals.Related = related[c.passages[i].id]
	}
	return links, nil
}

// found returns the best passages that may be hits, and how relevant they are but for
// their relations.
func (c *closer) found(r *ranking) ([]hippo.ID, map[hippo.ID]float64) {
	best := newBest(linked)
	for i := range c.passages {
		p := &c.passages[i]
		if !p.admitted {
			continue
		}
		r.s = p.signals
		r.s.Text = rank.TextOf(&r.weights, &r.s, c.longer)
		if x := r.relevance(&r.weights, &r.s); r.within.has(x) && best.wants(x) {
			best.Add(candidate{id: p.id, created: p.created, relevance: x})
		}
	}
	ids, relevance := make([]hippo.ID, len(best.Items())), make(map[hippo.ID]float64, len(best.Items()))
	for i, x := range best.Items() {
		ids[i], relevance[x.id] = x.id, x.relevance
	}
	return ids, relevance
}

// pull is a memory that becomes a hit, or a better one, because of a hit.
type pull struct {
	id            hippo.ID
	text, related float64
}

// pulls returns what the best hits pull, the most relevant first.
func (r *ranking) pulls(o *order, links []hippo.Relation) []pull {
	at := make(map[hippo.ID]int)
	var out []pull
	for _, l := range links {
		if !r.weights.Relations.Pulls(&l, l.Weight) {
			continue
		}
		for _, hit := range o.hits[:min(pullers, len(o.hits))] {
			if hit.id != l.From && hit.id != l.To {
				continue
			}
			p := pull{l.Other(hit.id), r.weights.Relations.Pull * l.Weight * hit.signals.Text, l.Weight * hit.relevance}
			i, ok := at[p.id]
			switch {
			case !ok:
				at[p.id] = len(out)
				out = append(out, p)
			case p.text > out[i].text:
				out[i] = p
			}
		}
	}
	slices.SortFunc(out, func(a, b pull) int { return cmp.Or(cmp.Compare(b.text, a.text), a.id.Compare(b.id)) })
	return out[:min(pulled, len(out))]
}

// pull makes hits of the memories that are related to the best ones and pass the
// filters; those that are hits already it lifts. If there may be more hits than were
// kept, none goes behind the last of them: others may belong before it. A memory that
// comes in this way counts as one match more.
func (e *Engine) pull(q *hippo.Query, a *asked, c *closer, r *ranking, o *order, links []hippo.Relation, more bool) {
	pulls := r.pulls(o, links)
	if len(pulls) == 0 {
		return
	}
	least := 0.0
	if n := len(o.hits); more && n > 0 {
		least = o.hits[n-1].relevance
	}
	var missing []pull
	for _, p := range pulls {
		i := slices.IndexFunc(o.hits, func(h ranked) bool { return h.id == p.id })
		switch {
		case i >= 0:
			r.lift(o, &o.hits[i], p)
		case !slices.ContainsFunc(c.passages, func(x passage) bool { return x.id == p.id }):
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		e.index.View(func(v *index.View) {
			v.Aim(e.ask(q, a))
			for _, p := range missing {
				if h, ok := r.join(v, p); ok && r.within.has(h.relevance) && h.relevance >= least {
					o.distribution.Add(h.relevance)
					o.total++
					o.hits = append(o.hits, h)
				}
			}
		})
	}
	slices.SortFunc(o.hits, func(a, b ranked) int { return better(a.candidate, b.candidate) })
}

// lift makes a hit as relevant as what it is related to makes it, if that is more.
func (r *ranking) lift(o *order, h *ranked, p pull) {
	if h.signals.Text >= p.text {
		return
	}
	s := *h.signals
	s.Text, s.Related = p.text, max(s.Related, p.related)
	relevance := r.relevance(&r.weights, &s)
	if !r.within.has(relevance) {
		return
	}
	o.distribution.Remove(h.relevance)
	o.distribution.Add(relevance)
	h.signals, h.relevance, h.pulled = &s, relevance, true
}

// join returns a memory that did not match as a hit, if it passes the filters and
// nothing replaces it.
func (r *ranking) join(v *index.View, p pull) (ranked, bool) {
	doc, ok := v.Find(p.id)
	if !ok || !v.Admits(doc) || v.Row(doc).Superseded {
		return ranked{}, false
	}
	s := *r.signals(v, &index.Match{Doc: doc, Context: v.Context(doc)})
	s.Text, s.Related = p.text, p.related
	relevance := r.relevance(&r.weights, &s)
	return ranked{candidate: candidate{id: p.id, created: r.row.CreatedAt, relevance: relevance}, signals: &s, pulled: true}, true
}

// together returns the pairs of memories that a search found together: of its first
// hits, those at least half as relevant as the best that were found by themselves. What
// relations pulled in does not strengthen relations.
func (o *order) together(q *hippo.Query, hits []hippo.Hit) []hippo.Relation {
	if q.Offset > 0 || q.Text == "" || len(hits) < 2 {
		return nil
	}
	var ids []hippo.ID
	best := 0.0
	for _, h := range o.hits[:min(len(o.hits), q.Count)] {
		if !h.pulled {
			best = max(best, h.relevance)
		}
		there := slices.ContainsFunc(hits, func(x hippo.Hit) bool { return x.Memory.ID == h.id })
		if there && !h.pulled && h.relevance >= best/2 && len(ids) < learners {
			ids = append(ids, h.id)
		}
	}
	var pairs []hippo.Relation
	for i, a := range ids {
		for _, b := range ids[:i] {
			pairs = append(pairs, hippo.CoRecall(a, b))
		}
	}
	return pairs
}
