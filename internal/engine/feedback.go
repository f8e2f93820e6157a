package engine

import (
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/rank"
)

const (
	// feedbackFrom is how many of the best passages show what answers look like. Both
	// constants were chosen on the development halves.
	feedbackFrom = 5
	// feedbackScale is by how much the sum of the evidence of a passage must be above
	// that of another to show e times as much.
	feedbackScale = 2
	// feedbackLeast is the least that one shows, as a part of the best one, to be compared
	// with: less changes nothing.
	feedbackLeast = .05
)

// feedback gives the passages the last evidence: how alike they are to the best of the
// others that may be hits, by all other evidence. What is alike to an answer often belongs
// to it, and words and meaning together know better what an answer is than the first look.
// No passage speaks for itself: it would widen the lead that it has.
func (c *closer) feedback(v *index.View, w *rank.Weights) {
	best, sum := newBest(feedbackFrom), rank.NewSum(w, c.longer)
	for i := range c.passages {
		p := &c.passages[i]
		if !p.admitted {
			continue
		}
		if total := sum.Of(&p.signals.Evidence); best.wants(total) {
			best.Add(candidate{id: p.id, created: p.created, relevance: total, match: p.match})
		}
	}
	list := best.Sorted()
	shares := make([]float64, 0, feedbackFrom)
	for i := range list {
		share := math.Exp((list[i].relevance - list[0].relevance) / feedbackScale)
		if i > 1 && share < feedbackLeast { // two: the best one needs another
			break
		}
		shares = append(shares, share)
	}
	for i := range c.passages {
		p := &c.passages[i]
		alike, all := 0.0, 0.0
		for k, share := range shares {
			if other := list[k].match; other != p.match {
				alike += float64(share * v.Alike(p.match.Doc, other.Doc))
				all += share
			}
		}
		if all > 0 {
			p.signals.Evidence[hippo.EvidenceFeedback] = alike / all
		}
	}
}
