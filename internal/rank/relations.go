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

// Learned is the weight of a learned relation after one more day on which a search found
// both memories: v + Learn*(1-v), where v is its weight now, 0 for a new one. Reinforced
// every day it tends to .83 with the default weights, every week to .43, every month to
// .18; adding Learn each time, as Hebbian memories do, would be 1 after ten searches and
// say nothing any more.
func (w *Relations) Learned(r *hippo.Relation, now time.Time) float64 {
	v := w.WeightAt(r, now)
	return v + w.Learn*(1-v)
}

// Faded reports whether a learned relation counts for nothing any more.
func (w *Relations) Faded(r *hippo.Relation, at time.Time) bool {
	return r.Kind == hippo.CoRecalled && w.WeightAt(r, at) < w.Forget
}

// Pulls reports whether a relation of this weight makes one memory a hit because of the
// other.
func (w *Relations) Pulls(r *hippo.Relation, weight float64) bool {
	return r.Kind != hippo.CoRecalled || weight > w.MinPull
}
