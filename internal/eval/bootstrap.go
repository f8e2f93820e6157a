package eval

import (
	"math/rand/v2"
	"slices"
)

// Resamples is how many samples a bootstrap draws.
const Resamples = 2000

// bootstrapSeed makes every bootstrap draw the same questions.
const bootstrapSeed = 0x6869_7070_6f00_0001

// Interval is the 95 % interval of each measure of a mean [Score].
type Interval struct {
	Low  Score `json:"low"`
	High Score `json:"high"`
}

// Bootstrap returns the 95 % interval of the mean of scores, each of one question:
// the 2.5th and 97.5th percentile of the means of [Resamples] samples, each of as
// many questions drawn with replacement. What is drawn is fixed by the number of
// scores, so equal scores give an equal interval, on every machine. The zero
// Interval for none. It costs some 10 us a question.
//
// Questions are drawn, not conversations: an interval says how much the figure
// would differ for other questions about the same documents, not for other documents.
//
// Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
func Bootstrap(scores []Score) Interval {
	if len(scores) == 0 {
		return Interval{}
	}
	draw := rand.New(rand.NewPCG(bootstrapSeed, uint64(len(scores))))
	var means [measureCount][]float64
	for range Resamples {
		var sum Score
		to := sum.measures()
		for range scores {
			for i, v := range scores[draw.IntN(len(scores))].measures() {
				*to[i] += *v
			}
		}
		for i, v := range to {
			means[i] = append(means[i], *v/float64(len(scores)))
		}
	}
	const tail = Resamples / 40 // 2.5 %
	out := Interval{Low: Score{Questions: len(scores)}, High: Score{Questions: len(scores)}}
	low, high := out.Low.measures(), out.High.measures()
	for i := range means {
		slices.Sort(means[i])
		*low[i], *high[i] = means[i][tail], means[i][Resamples-1-tail]
	}
	return out
}

// Difference is by how much the answers of two systems to the same questions
// differ: the mean over the questions of each measure, in [-1, 1], and its 95 %
// interval. One that holds 0 says that these questions do not tell them apart.
type Difference struct {
	// System and Scope are the row that this one is compared with.
	System string `json:"system"`
	Scope  Scope  `json:"scope"`
	Score
	Interval Interval `json:"interval_95"`
}

// DifferenceOf returns the mean of a - b, question by question; a and b are scores
// of the same questions in the same order.
func DifferenceOf(a, b []Score) Difference {
	by := make([]Score, len(a))
	for i := range a {
		by[i] = a[i]
		for k, v := range by[i].measures() {
			*v -= *b[i].measures()[k]
		}
	}
	return Difference{Score: Mean(by), Interval: Bootstrap(by)}
}
