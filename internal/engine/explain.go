package engine

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

// explainer completes the hits of a search with why they are there. The nil
// explainer adds nothing.
type explainer struct {
	ranker  hippo.Ranker
	weights rank.Weights
	asked   bool // the query has a text
	longer  float64
	at      map[hippo.ID]places // of what may be on a page
}

// places are where the channels put a memory, from 1; 0: they did not find it.
type places struct {
	words, cosine, graph int

	closely bool // it was looked at closely
}

// newExplainer looks up the places of what may be on a page: list, and the passages
// of c. The View is that of the search for q, as iq, that found matches.
func newExplainer(v *index.View, r *ranking, q *hippo.Query, iq *index.Query, list []ranked, c *closer, matches []index.Match) *explainer {
	x := &explainer{
		ranker: q.Ranker, weights: r.weights, asked: r.most > 0 || r.meaning,
		at: make(map[hippo.ID]places, len(list)),
	}
	for i := range list {
		x.at[list[i].id] = places{}
	}
	if c != nil {
		x.longer = c.longer
		for i := range c.passages {
			x.at[c.passages[i].id] = places{closely: true}
		}
	}
	words, cosines := make([]standing, 0, len(matches)), make([]standing, 0, len(matches))
	for i := range matches {
		m := &matches[i]
		id := v.Row(m.Doc).ID
		words = append(words, standing{id, m.Score})
		if m.Cosine > 0 { // exact ones: those of the index would mistake close places
			cosines = append(cosines, standing{id, v.Cosine(m.Doc)})
		}
	}
	x.place(words, 0, len(words), func(p *places, n int) { p.words = n })
	x.place(cosines, max(0, iq.MinCosine), iq.Nearest, func(p *places, n int) { p.cosine = n })
	return x
}

// standing is a memory with what a channel orders it by.
type standing struct {
	id hippo.ID
	by float64
}

// place sorts a channel and notes the places of those that it found: the first most
// that are above least.
func (x *explainer) place(list []standing, least float64, most int, note func(*places, int)) {
	slices.SortFunc(list, func(a, b standing) int { return cmp.Or(cmp.Compare(b.by, a.by), a.id.Compare(b.id)) })
	n := 1
	for i, l := range list[:min(most, len(list))] {
		if l.by <= least {
			return
		}
		if i > 0 && l.by < list[i-1].by {
			n = i + 1
		}
		if p, ok := x.at[l.id]; ok {
			note(&p, n)
			x.at[l.id] = p
		}
	}
}

// walked notes the places of what the walk of ranker hybrid found.
func (x *explainer) walked(h *hybrid) {
	list := make([]standing, 0, len(h.union))
	for doc, m := range h.union {
		list = append(list, standing{h.v.Row(doc).ID, m.graph})
	}
	x.place(list, 0, len(list), func(p *places, n int) { p.graph = n })
}

// complete adds the explanations to the hits of a page.
func (x *explainer) complete(hits []hippo.Hit, page []ranked) {
	if x == nil {
		return
	}
	for i := range hits {
		h := &hits[i]
		p := x.at[h.Memory.ID]
		switch r := page[slices.IndexFunc(page, func(r ranked) bool { return r.id == h.Memory.ID })]; {
		case r.instead:
			h.Explanation = &hippo.Explanation{Because: "replaces"}
		case r.pulled:
			h.Explanation = &hippo.Explanation{Because: "related"}
		default:
			h.Explanation = rank.Explain(&x.weights, x.ranker, &h.Signals, x.asked, p.closely, x.longer)
		}
		h.Explanation.WordsRank, h.Explanation.CosineRank, h.Explanation.GraphRank = p.words, p.cosine, p.graph
	}
}
