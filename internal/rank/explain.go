package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Explain takes the relevance that ranker r gives to a memory apart. asked: the
// query has a text; closely: the memory was looked at closely; longer is that of
// [TextOf]. The places in the channels are left to the caller.
func Explain(w *Weights, r hippo.Ranker, s *hippo.Signals, asked, closely bool, longer float64) *hippo.Explanation {
	x := &hippo.Explanation{Closely: closely}
	switch r {
	case hippo.RankerHippo:
		switch {
		case closely:
			x.Longer, x.Evidence = longer, evidenceParts(w, &s.Evidence, longer)
		case asked:
			x.Evidence = firstParts(&w.First, &s.Evidence)
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
func evidenceParts(w *Weights, e *hippo.Evidence, longer float64) []hippo.Contribution {
	list := []hippo.Contribution{{Signal: "base", Value: 1, Weight: w.EvidenceBase + longer*w.EvidenceBaseLong}}
	for k, x := range e {
		list = append(list, hippo.Contribution{Signal: hippo.EvidenceKind(k).String(), Value: x, Weight: w.Evidence[k] + longer*w.EvidenceLong[k]})
	}
	return contributions(list)
}

// firstParts are the terms of the sum in [FirstLook.Of].
func firstParts(w *First, e *hippo.Evidence) []hippo.Contribution {
	return contributions([]hippo.Contribution{
		{Signal: hippo.EvidenceShare.String(), Value: e[hippo.EvidenceShare], Weight: w.Share},
		{Signal: hippo.EvidenceCosine.String(), Value: e[hippo.EvidenceCosine], Weight: w.Cosine},
		{Signal: hippo.EvidenceLength.String(), Value: e[hippo.EvidenceLength], Weight: w.Length},
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
