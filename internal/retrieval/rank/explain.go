package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
)

// Explanation says how [ByHippo] and [ByInsight] come to the relevance of a hit.
type Explanation struct {
	Ranker hippo.Ranker
	// Searched: the query has a text.
	Searched bool
	// Features are those of the reranker; nil: the hit was not reranked.
	Features *Features
	// Lesson is what votes on questions near the query say, see [Learning.Lesson].
	Lesson float64
	// Context is that of the weights.
	Context Context
	// Length is the feature of the first stage, and the others likewise.
	Length, BM25Relative, Multilingual float64
}

// Explain takes the relevance of a hit apart. Ranks and ways are left to the caller.
func Explain(w *Weights, x Explanation, s *hippo.Signals) *hippo.Explanation {
	out := &hippo.Explanation{}
	if s.Lapsed {
		out.Validity = Lapsed
	}
	switch x.Ranker {
	case hippo.RankerHippo:
		switch {
		case x.Features != nil:
			out.Reranked, out.Context, out.Features = true, x.Context.Map(), x.Features.Map()
			out.Text = rerankTerms(w, x.Features, &x.Context, x.Lesson)
		case x.Searched:
			out.Text = firstTerms(&w.FirstStage, x.BM25Relative, s.Cosine, x.Multilingual, x.Length)
		}
		out.Prior = Contributions([]hippo.Contribution{{Feature: "importance", Value: s.Prior, Weight: 1}})
		f := factors(w, s)
		out.Factors = &f
	case hippo.RankerInsight:
		out.Prior = priorTerms(&w.Insight.Shares, s)
	case hippo.RankerSurprise:
		out.Text = Contributions([]hippo.Contribution{{Feature: "similarity", Value: s.Text, Weight: w.Surprise.Similarity}})
		out.Prior = Contributions([]hippo.Contribution{{Feature: "surprise", Value: s.Prior, Weight: w.Surprise.Surprise}})
	case hippo.RankerHybrid, hippo.RankerBM25, hippo.RankerCosine: // a signal is the relevance
	}
	return out
}

// rerankTerms are the terms of the sum in [Linear.Text].
func rerankTerms(w *Weights, f *Features, c *Context, lesson float64) []hippo.Contribution {
	linear := NewLinear(&w.Rerank, c)
	weights := linear.Weights(f)
	list := []hippo.Contribution{{Feature: "base", Value: 1, Weight: weights.Base}, {Feature: "votes", Value: lesson, Weight: w.Learning.Shift}}
	for k, x := range f {
		list = append(list, hippo.Contribution{Feature: Feature(k).String(), Value: x, Weight: weights.Features[k]})
	}
	return Contributions(list)
}

// firstTerms are the terms of the sum in [Scorer.Text].
func firstTerms(w *FirstStage, bm25, cosine, multilingual, length float64) []hippo.Contribution {
	return Contributions([]hippo.Contribution{
		{Feature: BM25Relative.String(), Value: bm25, Weight: w.BM25Relative},
		{Feature: Cosine.String(), Value: cosine, Weight: w.Cosine},
		{Feature: Multilingual.String(), Value: multilingual, Weight: w.Multilingual},
		{Feature: Length.String(), Value: length, Weight: w.Length},
	})
}

// priorTerms are the terms of a weighted mean of the signals of use.
func priorTerms(w *Shares, s *hippo.Signals) []hippo.Contribution {
	return Contributions([]hippo.Contribution{
		{Feature: "recency", Value: s.Recency, Weight: w.Recency},
		{Feature: "frequency", Value: s.Frequency, Weight: w.Frequency},
		{Feature: "importance", Value: s.Importance, Weight: w.Importance},
		{Feature: "context", Value: s.Context, Weight: w.Context},
	})
}

// Contributions completes terms, drops those of 0, and sorts the rest by size.
func Contributions(list []hippo.Contribution) []hippo.Contribution {
	for i := range list {
		list[i].Sum = rounded(list[i].Value * list[i].Weight)
	}
	list = slices.DeleteFunc(list, func(c hippo.Contribution) bool { return c.Sum == 0 })
	slices.SortStableFunc(list, func(a, b hippo.Contribution) int { return cmp.Compare(math.Abs(b.Sum), math.Abs(a.Sum)) })
	return list
}
