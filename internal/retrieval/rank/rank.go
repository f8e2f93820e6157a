package rank

import (
	"math"

	"github.com/hippo-memory/hippo"
)

// Func computes the relevance of a memory from its signals, in [0, 1].
type Func func(w *Weights, s *hippo.Signals) float64

// For returns the function of ranker r. Ranker hybrid fuses before it ranks: its function is
// [ByText].
func For(r hippo.Ranker) Func {
	switch r {
	case hippo.RankerInsight:
		return ByInsight
	case hippo.RankerHybrid:
		return ByText
	case hippo.RankerBM25:
		return ByBM25
	case hippo.RankerCosine:
		return ByCosine
	case hippo.RankerSurprise:
		return BySurprise
	default:
		return ByHippo
	}
}

// ByInsight is the weighted mean of recency, frequency, importance and situation. What the
// query says does not order; see [Insight.MinContent] for what it decides. Source: the Hippo
// design of 2025.
func ByInsight(w *Weights, s *hippo.Signals) float64 { return held(s, mean(&w.Insight.Shares, s)) }

// ByHippo is relevance to the query times bounded factors:
//
//	text * (1 - ContextBound*(1-context)) * (1 - TimeBound*(1-time)) * (1 - Bound*(1-prior))
//
// so that votes order what is comparably relevant and bury nothing. The prior is the importance, of candidates
// as of the newest day on which that of one was set. The relevance of an archived memory that
// is behind others is multiplied by [Archived].
func ByHippo(w *Weights, s *hippo.Signals) float64 {
	f := factors(w, s)
	x := s.Text * f.Context * f.Time * f.Prior
	if s.Behind {
		x *= f.Archived
	}
	return held(s, x)
}

func factors(w *Weights, s *hippo.Signals) hippo.Factors {
	p := &w.Prior
	f := hippo.Factors{
		Context: 1 - p.ContextBound*(1-s.Context), Time: 1 - p.TimeBound*(1-s.Time), Prior: 1 - p.Bound*(1-s.Prior),
	}
	if s.Behind {
		f.Archived = Archived
	}
	return f
}

// ByText is what the text says; use and votes have no part in it.
func ByText(_ *Weights, s *hippo.Signals) float64 { return held(s, s.Text) }

// ByBM25 is the lexical baseline.
func ByBM25(_ *Weights, s *hippo.Signals) float64 { return held(s, s.Lexical) }

// ByCosine is the semantic baseline.
func ByCosine(_ *Weights, s *hippo.Signals) float64 { return held(s, s.Cosine) }

// MinRelevance is the least relevance of a hit when the query sets no range.
func MinRelevance(w *Weights, r hippo.Ranker) float64 {
	if r == hippo.RankerInsight {
		return w.Insight.MinRelevance
	}
	return 0
}

// maxSum keeps exp finite.
const maxSum = 500

// Linear is the weighted sum of features for one query. The weights of a memory depend on the query and on its own kind, and
// not on what else was found: see [Kind].
type Linear struct {
	scale, base float64
	experts     *[NumExperts]Expert
	coherence   float64
	english     float64
	gates       [NumExperts]float64 // by the query
	verbatim    *Weighing           // nil: the query has words that mean something
}

// NewLinear returns the weighted sum for a context. w must not change.
func NewLinear(w *Rerank, c *Context) Linear {
	l := Linear{scale: w.Scale, base: w.Base, experts: &w.Experts, coherence: c[Coherence], english: c[English]}
	if c[Verbatim] > 0 {
		l.verbatim = &w.Verbatim
	}
	for k, x := range c {
		l.base += float64(x * w.BaseBy[k])
	}
	for i := range w.Experts {
		e := &w.Experts[i]
		l.gates[i] = e.Bias
		for k, x := range c {
			l.gates[i] += float64(x * e.Gate[k])
		}
	}
	return l
}

// shares returns the share of each expert in the weights of a memory. They add up to 1.
func (l *Linear) shares(f *Features) (shares [NumExperts]float64) {
	kind, highest := kindOf(f, l.english, l.coherence), math.Inf(-1)
	for i := range l.experts {
		shares[i] = l.gates[i]
		for k, x := range kind {
			shares[i] += float64(x * l.experts[i].Kind[k])
		}
		highest = max(highest, shares[i])
	}
	total := 0.0
	for i, x := range shares {
		shares[i] = math.Exp(x - highest)
		total += shares[i]
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
}

// Weighing is the weights of the features of one memory, and what is added to their sum.
type Weighing struct {
	Features
	Base float64
}

// Weights returns the weights of a memory of the kind that its features say: [IsForeign], [InSession], [Length] and [IsCode]. Cost: about
// a microsecond.
func (l *Linear) Weights(f *Features) Weighing {
	if l.verbatim != nil {
		return *l.verbatim
	}
	w := Weighing{Base: l.base}
	for i, share := range l.shares(f) {
		e := &l.experts[i]
		w.Base += float64(share * e.Base)
		for k, weight := range e.Features {
			w.Features[k] += float64(share * weight)
		}
	}
	for k, weight := range w.Features {
		w.Features[k] = rounded(weight)
	}
	w.Base = rounded(w.Base)
	return w
}

// Sum returns the weighted sum of features with its base, rounded so that it is the same everywhere.
func (w *Weighing) Sum(f *Features) float64 {
	sum := w.Base
	for k, x := range f {
		sum += float64(w.Features[k] * x)
	}
	return rounded(sum)
}

// Text is the relevance of a text to the query at the second stage, in [0, 1]: 1 -
// exp(-u/Scale), where u = ln(1 + exp(sum)), which is above 0, of the weighted sum with its
// base; and of the headroom to 1 the fraction Boost * related.
func (l *Linear) Text(w *Weights, sum, related float64) float64 {
	text := relevance(l.scale, sum)
	return text + w.Relations.Boost*related*(1-text)
}

// relevance maps a weighted sum to [0, 1).
func relevance(scale, sum float64) float64 {
	return 1 - math.Exp(-math.Log1p(math.Exp(min(sum, maxSum)))/scale)
}

func mean(w *Shares, s *hippo.Signals) float64 {
	return w.Recency*s.Recency + w.Frequency*s.Frequency + w.Importance*s.Importance + w.Context*s.Context
}

// rounded drops the last bits, in which processors differ (fused multiply-add, library exp),
// so that the order is the same everywhere.
func rounded(x float64) float64 {
	const unit = 1e12
	return math.RoundToEven(x*unit) / unit
}
