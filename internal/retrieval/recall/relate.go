package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

const (
	// pullingHits is how many of the best hits pull in related memories, and maxPulled how
	// many each search pulls in.
	pullingHits = 5
	maxPulled   = 5
)

// hit is a memory in the order of a search.
type hit struct {
	candidate
	first
	via hippo.Via
}

// ranking is the order of the hits, best first, and their count.
type ranking struct {
	hits  []hit
	tally tally
	// more: there may be further hits after the last one.
	more bool
	// related is the relatedness to the best passages, by memory.
	related map[hippo.ID]float64
}

// relate ranks the reranked passages with their relations, adds the other candidates, and
// pulls in memories related to the best hits.
func (s *Searcher) relate(ctx context.Context, p *Plan, found *retrieve.Result, sc scored, r reranked) (ranking, error) {
	rest := others(&sc, r)
	if r.passages == nil {
		return rest, nil
	}
	ids, relevance := bestPassages(p, &r)
	links, err := s.links(ctx, p, ids, p.at(s.now()))
	if err != nil {
		return rest, err
	}
	rest.related = relatedness(links, relevance)
	return addRelated(p, &sc.first, found, r, links, merge(p, r, rest)), nil
}

// others ranks the best matches that were not reranked.
func others(sc *scored, r reranked) ranking {
	out := ranking{tally: sc.tally, hits: make([]hit, 0, min(sc.first.keep, len(sc.best)))}
	for _, x := range sc.best {
		if len(out.hits) == sc.first.keep {
			break
		}
		if r.of(sc.first.found.Matches[x.number].Doc) == nil {
			out.hits = append(out.hits, exact(&sc.first, sc.first.candidate(x)))
		}
	}
	out.more = len(out.hits) == sc.first.keep
	slices.SortFunc(out.hits, betterHit)
	return out
}

// exact ranks one of the best candidates by its exact cosine: the index scores all documents by
// approximate ones. For reranked candidates approximate ones are enough: the sum of features
// outweighs an error of .01, and half of the vectors need not be read.
func exact(f *firstStage, c candidate) hit {
	if !f.semantic() || f.rerank {
		return hit{candidate: c, first: f.of(&c.match)}
	}
	c.match.Cosine = f.found.Reader.Cosine(c.match.Doc)
	x := f.of(&c.match)
	c.relevance = f.relevance(f.weights, &x.signals)
	return hit{candidate: c, first: x}
}

func betterHit(a, b hit) int { return better(a.candidate, b.candidate) }

// bestPassages returns the best passages that may be hits, with their relevance without
// relations.
func bestPassages(p *Plan, r *reranked) ([]hippo.ID, map[hippo.ID]float64) {
	best := top.New(relatedHits, better)
	for i := range r.list {
		if x := &r.list[i]; x.admitted {
			if h := r.final(p, x, 0); p.within.has(h.relevance) {
				best.Add(h.candidate)
			}
		}
	}
	ids, relevance := make([]hippo.ID, len(best.Items())), make(map[hippo.ID]float64, len(best.Items()))
	for i, x := range best.Items() {
		ids[i], relevance[x.ID] = x.ID, x.relevance
	}
	return ids, relevance
}

// final returns the hit of a passage with its relatedness to the best ones.
func (r *reranked) final(p *Plan, x *passage, related float64) hit {
	h := hit{candidate: x.candidate, first: x.first}
	h.signals.Related = related
	h.signals.Text = r.linear.Text(p.weights, x.sum()+float64(p.weights.Learning.Shift*x.votes.lesson), related)
	h.relevance = p.relevance(p.weights, &h.signals)
	return h
}

// merge adds the passages that may be hits to the other candidates. If there may be more
// candidates than were kept, passages after the last kept one are dropped: unknown candidates
// may rank before them.
func merge(p *Plan, r reranked, rest ranking) ranking {
	out := rest
	out.hits = make([]hit, 0, len(r.list)+len(rest.hits))
	for i := range r.list {
		x := &r.list[i]
		if !x.admitted {
			continue
		}
		h := r.final(p, x, rest.related[x.ID])
		var was *float64
		if x.counted {
			was = new(x.relevance * r.scale)
		}
		out.tally.move(was, h.relevance, p.within)
		if p.within.has(h.relevance) {
			out.hits = append(out.hits, h)
		}
	}
	out.hits = append(out.hits, rest.hits...)
	slices.SortFunc(out.hits, betterHit)
	for n := len(out.hits); out.more && n > 0 && r.of(out.hits[n-1].match.Doc) != nil; n-- {
		out.hits = out.hits[:n-1]
	}
	return out
}

// pulled is a memory that becomes a hit, or a more relevant one, by its relation to a hit.
type pulled struct {
	id            hippo.ID
	text, related float64
}

// pulledBy returns the memories that the best hits pull in, the most relevant first.
func pulledBy(w *rank.Relations, hits []hit, links []link) []pulled {
	best := make(map[hippo.ID]pulled)
	for _, l := range links {
		if !w.Pulls(l.learned, l.weight) {
			continue
		}
		for i := range firstOf(hits, pullingHits) {
			h := &hits[i]
			if h.ID != l.from {
				continue
			}
			p := pulled{l.to, w.Pull * l.weight * h.signals.Text, l.weight * h.relevance}
			if b, ok := best[p.id]; !ok || p.text > b.text {
				best[p.id] = p
			}
		}
	}
	list := slices.SortedFunc(maps.Values(best), func(a, b pulled) int { return cmp.Or(cmp.Compare(b.text, a.text), a.id.Compare(b.id)) })
	return firstOf(list, maxPulled)
}

// addRelated adds the memories that are related to the best hits and pass the filters, and raises
// those that are hits already. If there may be more hits than were kept, none is added after
// the last one. An added memory counts as a match.
func addRelated(p *Plan, f *firstStage, found *retrieve.Result, r reranked, links []link, in ranking) ranking {
	list := pulledBy(&p.weights.Relations, in.hits, links)
	if len(list) == 0 {
		return in
	}
	out := in
	out.hits = slices.Clone(in.hits)
	least := 0.0
	if n := len(in.hits); in.more && n > 0 {
		least = in.hits[n-1].relevance
	}
	for _, x := range list {
		if i := slices.IndexFunc(out.hits, func(h hit) bool { return h.ID == x.id }); i >= 0 {
			if h, ok := p.lift(out.hits[i], x); ok {
				out.tally.move(&out.hits[i].relevance, h.relevance, p.within)
				out.hits[i] = h
			}
		} else if h, ok := p.join(f, found, r, x); ok && p.within.has(h.relevance) && h.relevance >= least {
			out.tally.add(h.relevance, true)
			out.hits = append(out.hits, h)
		}
	}
	slices.SortFunc(out.hits, betterHit)
	return out
}

// lift returns a hit with the relevance by its relation, if that is higher.
func (p *Plan) lift(h hit, by pulled) (hit, bool) {
	if h.signals.Text >= by.text {
		return h, false
	}
	h.signals.Text, h.signals.Related = by.text, max(h.signals.Related, by.related)
	h.relevance, h.via = p.relevance(p.weights, &h.signals), hippo.ViaRelation
	return h, p.within.has(h.relevance)
}

// join returns a memory that did not match as a hit, if it is no passage, passes the filters and has no
// successor.
func (p *Plan) join(f *firstStage, found *retrieve.Result, r reranked, by pulled) (h hit, ok bool) {
	m, ok := admitted(found.Reader, by.id)
	if !ok || r.of(m.Doc) != nil || found.Reader.Row(m.Doc).Superseded {
		return h, false
	}
	m.Cosine = 0 // it is not here because of its own text
	h = hit{candidate: candidate{Key: found.Reader.Key(m.Doc), match: m}, first: f.of(&m)}
	h.signals.Text, h.signals.Related = by.text, by.related
	h.relevance, h.via = p.relevance(p.weights, &h.signals), hippo.ViaRelation
	return h, true
}

// admitted returns the match of a memory, if it passes the filters.
func admitted(r retrieve.Reader, id hippo.ID) (m retrieve.Match, ok bool) {
	doc, ok := r.Find(id)
	if !ok {
		return m, false
	}
	return r.Admit(doc)
}
