package main

import (
	"math/rand/v2"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// resamples is the number of samples that a bootstrap draws.
const resamples = 2000

// bootstrapSeed makes every bootstrap draw the same questions.
const bootstrapSeed = 0x6869_7070_6f00_0001

// interval is the 95 % interval of each measure of a mean [eval.Score].
type interval struct {
	Low  eval.Score `json:"low"`
	High eval.Score `json:"high"`
}

// bootstrap returns the 95 % interval of the mean of scores, each of one question:
// the 2.5th and 97.5th percentile of the means of [resamples] samples, each of as
// many questions drawn with replacement. What is drawn is fixed by the number of
// scores, so equal scores give an equal interval, on every machine. The zero
// interval for none. It costs some 10 us a question.
//
// Questions are drawn, not conversations: an interval says how much the figure
// would differ for other questions about the same documents, not for other documents.
//
// Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
func bootstrap(scores []eval.Score) interval {
	if len(scores) == 0 {
		return interval{}
	}
	draw := rand.New(rand.NewPCG(bootstrapSeed, uint64(len(scores))))
	var means [eval.MeasureCount][]float64
	for range resamples {
		var sum eval.Score
		to := sum.Measures()
		for range scores {
			for i, v := range scores[draw.IntN(len(scores))].Measures() {
				*to[i] += *v
			}
		}
		for i, v := range to {
			means[i] = append(means[i], *v/float64(len(scores)))
		}
	}
	const tail = resamples / 40 // 2.5 %
	out := interval{Low: eval.Score{Questions: len(scores)}, High: eval.Score{Questions: len(scores)}}
	low, high := out.Low.Measures(), out.High.Measures()
	for i := range means {
		slices.Sort(means[i])
		*low[i], *high[i] = means[i][tail], means[i][resamples-1-tail]
	}
	return out
}

// difference compares the answers of two systems to the same questions: the mean over
// the questions of the difference of each measure, in [-1, 1], and its 95 % interval.
// An interval that holds 0 means that these questions do not separate the systems.
type difference struct {
	// System and Setting are the row that this one is compared with.
	System  string       `json:"system"`
	Setting eval.Setting `json:"setting"`
	eval.Score
	Interval interval `json:"interval_95"`
}

// differenceOf returns the mean of a - b, question by question; a and b are scores
// of the same questions in the same order.
func differenceOf(a, b []eval.Score) difference {
	by := make([]eval.Score, len(a))
	for i := range a {
		by[i] = a[i]
		for k, v := range by[i].Measures() {
			*v -= *b[i].Measures()[k]
		}
	}
	return difference{Score: eval.Mean(by), Interval: bootstrap(by)}
}
