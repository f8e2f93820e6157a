package eval

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"time"
)

// Score is the quality of the answers to some questions: the mean over the
// questions of each measure, in [0, 1], higher is better; zero without questions.
type Score struct {
	Questions int `json:"questions"`
	// Recall at k is the share of the relevant documents among the first k.
	Recall1  float64 `json:"recall_at_1"`
	Recall5  float64 `json:"recall_at_5"`
	Recall10 float64 `json:"recall_at_10"`
	// Hit1 is the share of questions whose first document is relevant.
	Hit1 float64 `json:"hit_at_1"`
	// MRR10 is 1/rank of the first relevant document among ten, else 0.
	MRR10 float64 `json:"mrr_at_10"`
	// NDCG10 is the discounted gain of the first ten as a share of the best possible.
	NDCG10 float64 `json:"ndcg_at_10"`
}

// ScoreOf scores one answer: the IDs found, best first, against the gain of
// each relevant document, above 0. Relevant must not be empty. IDs found twice
// count once.
func ScoreOf(found []string, relevant map[string]float64) Score {
	return Score{
		Questions: 1,
		Recall1:   Recall(found, relevant, 1),
		Recall5:   Recall(found, relevant, 5),
		Recall10:  Recall(found, relevant, 10),
		Hit1:      min(1, math.Ceil(Recall(found, relevant, 1))),
		MRR10:     ReciprocalRank(found, relevant, 10),
		NDCG10:    NDCG(found, relevant, 10),
	}
}

// Mean returns the mean of scores, weighted by their questions.
func Mean(scores []Score) Score {
	var sum Score
	to := sum.Measures()
	for _, s := range scores {
		sum.Questions += s.Questions
		for i, v := range s.Measures() {
			*to[i] += float64(float64(s.Questions) * *v)
		}
	}
	if sum.Questions == 0 {
		return sum
	}
	for _, v := range to {
		*v /= float64(sum.Questions)
	}
	return sum
}

// MeasureCount is the number of measures of a [Score].
const MeasureCount = 6

// Measures returns pointers to the measures, in the order of their declaration.
func (s *Score) Measures() [MeasureCount]*float64 {
	return [...]*float64{&s.Recall1, &s.Recall5, &s.Recall10, &s.Hit1, &s.MRR10, &s.NDCG10}
}

// Recall is the share of the relevant documents among the first k found; 0 if
// nothing is relevant.
func Recall(found []string, relevant map[string]float64, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	n := 0
	for range gains(found, relevant, k) {
		n++
	}
	return float64(n) / float64(len(relevant))
}

// ReciprocalRank is 1/rank of the first relevant document among the first k
// found, else 0.
func ReciprocalRank(found []string, relevant map[string]float64, k int) float64 {
	for rank := range gains(found, relevant, k) {
		return 1 / float64(rank)
	}
	return 0
}

// NDCG is the normalised discounted cumulative gain of the first k found: the
// sum of gain/log2(rank+1), divided by that of the best possible order; 0 if
// nothing is relevant. Source: Järvelin and Kekäläinen, Cumulated gain-based
// evaluation of IR techniques, 2002, with linear gain as trec_eval has it.
func NDCG(found []string, relevant map[string]float64, k int) float64 {
	best := make([]float64, 0, len(relevant))
	for _, g := range relevant {
		best = append(best, g)
	}
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	ideal := 0.0
	for i, g := range best[:min(k, len(best))] {
		ideal += g / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	sum := 0.0
	for rank, g := range gains(found, relevant, k) {
		sum += g / math.Log2(float64(rank+1))
	}
	return sum / ideal
}

// gains yields the rank, from 1, and the gain of each relevant document among
// the first k found.
func gains(found []string, relevant map[string]float64, k int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i, id := range found[:min(k, len(found))] {
			if g, ok := relevant[id]; ok && !slices.Contains(found[:i], id) && !yield(i+1, g) {
				return
			}
		}
	}
}

// Latency is how long searches took, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
	P99 float64 `json:"p99_ms"`
}

// LatencyOf returns the percentiles of the times taken, by nearest rank; zero
// for none.
func LatencyOf(taken []time.Duration) Latency {
	sorted := slices.Sorted(slices.Values(taken))
	at := func(p float64) float64 {
		if len(sorted) == 0 {
			return 0
		}
		rank := int(math.Ceil(p * float64(len(sorted))))
		return float64(sorted[max(rank, 1)-1]) / float64(time.Millisecond)
	}
	return Latency{P50: at(0.50), P95: at(0.95), P99: at(0.99)}
}
