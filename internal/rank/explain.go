package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Explain takes the relevance that ranker r gives to a memory apart. asked: the
// query has a text; length is that of [TextOf]. The places in the channels are left
// to the caller.
func Explain(w *Weights, r hippo.Ranker, s *hippo.Signals, asked bool, length float64) *hippo.Explanation {
	x := &hippo.Explanation{}
	switch r {
	case hippo.RankerHippo:
		if asked {
			x.Evidence = evidenceParts(w, s, length)
		}
		x.Prior = priorParts(&w.Prior, s)
		x.ContextFactor, x.TimeFactor, x.PriorFactor = contextFactor(w, s), timeFactor(w, s), priorFactor(w, s)
	case hippo.RankerInsight:
		x.Prior = priorParts(&w.Insight, s)
	case hippo.RankerHybrid:
		x.Evidence = contributions([]hippo.Contribution{{Signal: "graph", Value: s.Graph, Weight: w.Mix.Graph}})
	case hippo.RankerBM25, hippo.RankerCosine: // the signal of that name is the relevance
	}
	return x
}

// evidenceParts are the terms of the sum in [TextOf].
func evidenceParts(w *Weights, s *hippo.Signals, length float64) []hippo.Contribution {
	z := math.Log1p(length) - w.MeanLength
	a, b := &w.Evidence, &w.EvidenceLong
	return contributions([]hippo.Contribution{
		{Signal: "share", Value: s.Share, Weight: a.Share + z*b.Share},
		{Signal: "cosine", Value: s.Cosine, Weight: a.Cosine + z*b.Cosine},
		{Signal: "interaction", Value: s.Interaction, Weight: a.Interaction + z*b.Interaction},
		{Signal: "named", Value: s.Named, Weight: a.Named + z*b.Named},
		{Signal: "before.share", Value: s.Before.Share, Weight: a.ShareBefore + z*b.ShareBefore},
		{Signal: "before.interaction", Value: s.Before.Interaction, Weight: a.InteractionBefore + z*b.InteractionBefore},
		{Signal: "after.share", Value: s.After.Share, Weight: a.ShareAfter + z*b.ShareAfter},
		{Signal: "after.interaction", Value: s.After.Interaction, Weight: a.InteractionAfter + z*b.InteractionAfter},
		{Signal: "session", Value: s.Session, Weight: a.Session + z*b.Session},
		{Signal: "length", Value: s.Length, Weight: a.Length + z*b.Length},
	})
}

// priorParts are the terms of a weighted mean of the signals of use.
func priorParts(w *Shares, s *hippo.Signals) []hippo.Contribution {
	return contributions([]hippo.Contribution{
		{Signal: "recency", Value: s.Recency, Weight: w.Recency},
		{Signal: "frequency", Value: s.Frequency, Weight: w.Frequency},
		{Signal: "importance", Value: s.Importance, Weight: w.Importance},
		{Signal: "context", Value: s.Context, Weight: w.Context},
	})
}

// contributions completes parts, drops those that say nothing, and sorts the rest.
func contributions(list []hippo.Contribution) []hippo.Contribution {
	for i := range list {
		list[i].Adds = settle(list[i].Value * list[i].Weight)
	}
	list = slices.DeleteFunc(list, func(c hippo.Contribution) bool { return c.Adds == 0 })
	slices.SortStableFunc(list, func(a, b hippo.Contribution) int { return cmp.Compare(math.Abs(b.Adds), math.Abs(a.Adds)) })
	return list
}
