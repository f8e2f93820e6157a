package rank

import (
	"math"

	"github.com/hippo-memory/hippo"
)

// Func computes the relevance of a memory from its signals, in [0, 1].
type Func func(w *Weights, s *hippo.Signals) float64

// For returns the ranker named r, or false if there is none.
func For(r hippo.Ranker) (Func, bool) {
	switch r {
	case hippo.RankerHippo:
		return Hippo, true
	case hippo.RankerInsight:
		return Insight, true
	case hippo.RankerHybrid:
		return Hybrid, true
	case hippo.RankerBM25:
		return BM25, true
	case hippo.RankerCosine:
		return Cosine, true
	default:
		return nil, false
	}
}

// Insight is the weighted mean of recency, frequency, importance and situation.
// What the query says does not order; see [Weights.Match] for what it decides.
// Source: the Hippo design of 2025.
func Insight(w *Weights, s *hippo.Signals) float64 {
	return settle(mean(&w.Insight, s))
}

// Hippo is relevance to the query times a bounded prior from use and votes:
//
//	text * (1 - ContextBound*(1-context)) * (1 - TimeBound*(1-time)) * (1 - PriorBound*(1-prior))
//
// so that use orders what is comparably relevant and never buries what is.
func Hippo(w *Weights, s *hippo.Signals) float64 {
	return settle(s.Text * contextFactor(w, s) * timeFactor(w, s) * priorFactor(w, s))
}

func contextFactor(w *Weights, s *hippo.Signals) float64 { return 1 - w.ContextBound*(1-s.Context) }

func timeFactor(w *Weights, s *hippo.Signals) float64 { return 1 - w.TimeBound*(1-s.Time) }

func priorFactor(w *Weights, s *hippo.Signals) float64 { return 1 - w.PriorBound*(1-s.Prior) }

// Hybrid is what [MixOf] words, meaning and graph says; use and votes have no part in
// it.
func Hybrid(_ *Weights, s *hippo.Signals) float64 { return settle(s.Text) }

// BM25 orders by words alone: the baseline.
func BM25(_ *Weights, s *hippo.Signals) float64 { return settle(s.Words) }

// Cosine orders by meaning alone: the other baseline.
func Cosine(_ *Weights, s *hippo.Signals) float64 { return settle(s.Cosine) }

// mostEvidence keeps exp finite.
const mostEvidence = 500

// TextOf is the relevance of a text to the query at the closer look, in [0, 1]:
// 1 - exp(-u/scale), where u = ln(1 + exp(sum)), which is above 0, of the weighted sum
// of its evidence. The weights depend on longer, which says by how much the logarithm
// of the length of what is looked at is above [Weights.MeanLength]. To that comes
// Relations.Bound * related of what it lacks to 1.
func TextOf(w *Weights, s *hippo.Signals, longer float64) float64 {
	weights := NewSum(w, longer)
	sum := w.EvidenceBase + float64(longer*w.EvidenceBaseLong) + weights.Of(&s.Evidence)
	text := relevanceOf(w, sum)
	return text + w.Relations.Bound*s.Related*(1-text)
}

// Sum adds up evidence for one value of longer, as [TextOf] does beside a base.
type Sum hippo.Evidence

// NewSum returns the Sum for a value of longer.
func NewSum(w *Weights, longer float64) Sum {
	var s Sum
	for k := range s {
		s[k] = w.Evidence[k] + float64(longer*w.EvidenceLong[k])
	}
	return s
}

// Of returns the weighted sum, rounded so that it is the same everywhere.
func (s *Sum) Of(e *hippo.Evidence) float64 {
	sum := 0.0
	for k, x := range e {
		sum += float64(s[k] * x)
	}
	return settle(sum)
}

func relevanceOf(w *Weights, sum float64) float64 {
	return 1 - math.Exp(-math.Log1p(math.Exp(min(sum, mostEvidence)))/w.EvidenceScale)
}

// PriorOf is the weighted mean of recency, frequency and importance that ranker
// hippo uses, in [0, 1].
func PriorOf(w *Weights, s *hippo.Signals) float64 { return mean(&w.Prior, s) }

func mean(w *Shares, s *hippo.Signals) float64 {
	return w.Recency*s.Recency + w.Frequency*s.Frequency + w.Importance*s.Importance + w.Context*s.Context
}

// settle rounds away the last bits, in which processors differ (fused
// multiply-add, library exp), so that the order is the same everywhere.
func settle(x float64) float64 {
	const unit = 1e12
	return math.RoundToEven(x*unit) / unit
}

// Floor is the least relevance of a hit when the query sets no range.
func Floor(w Weights, r hippo.Ranker) float64 {
	if r == hippo.RankerInsight {
		return w.InsightFloor
	}
	return 0
}
