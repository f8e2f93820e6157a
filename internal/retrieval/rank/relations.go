package rank

import (
	"math"
	"time"

	"github.com/hippo-memory/hippo"
)

// WeightAt is the weight of a relation at a time, in [0, 1]: a learned one halves every
// HalfLife days after it was reinforced last, a declared one stays.
func (w *Relations) WeightAt(r *hippo.Relation, at time.Time) float64 {
	days := at.Sub(r.LastReinforced).Hours() / 24
	if r.Kind != hippo.CoRecalled || r.LastReinforced.IsZero() || days <= 0 {
		return r.Weight
	}
	return r.Weight * math.Exp2(-days/w.HalfLife)
}

// Learned is the weight of a learned relation after one more day on which both memories were
// used as answers to one question: v + Learn*strength*(1-v), where v is its weight now, 0 for a
// new one, and strength is 1 for votes. Reinforced every day it tends to .83 with the default
// weights, every week to .43, every month to .18.
func (w *Relations) Learned(r *hippo.Relation, now time.Time, strength float64) float64 {
	v := w.WeightAt(r, now)
	return v + w.Learn*strength*(1-v)
}

// Together is the weight of a learned relation after one more search of ranker surprise that
// returned both memories: v + Returned, at most 1. Source: the design of claude-hippo, May 2026.
func (w *Relations) Together(r *hippo.Relation, now time.Time) float64 {
	return min(1, w.WeightAt(r, now)+w.Returned)
}

// Strength is how much a pair of uses teaches about its memories, in [0, 1]: that of the weaker
// use, and as much as one question is like the other.
func (w *Learning) Strength(a, b *hippo.Feedback) float64 {
	return min(w.value(a.Kind), w.value(b.Kind)) * w.nearness(Similarity(a.Question, b.Question))
}

// Spread returns the part of the weight of a relation that counts: a learned one is divided by
// the root of the product of the degrees of its ends, from and to, which are the sums of the weights of their learned
// relations, so that what is related to everything is related to nothing in particular. A degree
// below 1 counts as 1, so that a first relation is not raised by being the only one.
func (w *Relations) Spread(r *hippo.Relation, from, to float64) float64 {
	if r.Kind != hippo.CoRecalled || !w.ByDegree {
		return r.Weight
	}
	return r.Weight / math.Sqrt(max(1, from)*max(1, to))
}

// Faded reports whether a learned relation counts for nothing any more.
func (w *Relations) Faded(r *hippo.Relation, at time.Time) bool {
	return r.Kind == hippo.CoRecalled && w.WeightAt(r, at) < w.Forget
}

// Pulls reports whether a relation, or two in a row, of this weight makes one memory a hit
// because of the other. Learned: one of them is.
func (w *Relations) Pulls(learned bool, weight float64) bool {
	return !learned || weight > w.MinPull
}
