package rank

import (
	"math"

	"github.com/hippo-memory/hippo"
)

// Surprise are the constants of ranker surprise. Source: the design of claude-hippo, May 2026; Floor
// applies in mode exact alone, [Surprise.Kept] in the others.
type Surprise struct {
	// Similarity and Surprise are the shares of the two, which add up to 1.
	Similarity, Surprise float64
	// HalfLife is the age in days at which surprise has halved; 0: it does not decay.
	HalfLife float64
	// Floor is the share of its surprise that a memory keeps whatever its age in mode exact.
	Floor float64
	// Kept is the same in the other modes: a decision of last year is as much of a decision.
	Kept float64
	// Oversample is how many times as many candidates as hits mode exact ranks.
	Oversample int
	// Neighbours is the largest number of associations of a seed.
	Neighbours int
}

// Decayed is a surprise at an age in days.
func (w *Surprise) Decayed(surprise, days float64, exactly bool) float64 {
	left := 1.
	if w.HalfLife > 0 {
		left = math.Exp(-max(days, 0) * math.Ln2 / w.HalfLife)
	}
	least := w.Kept
	if exactly {
		least = w.Floor
	}
	return min(max(surprise*max(left, least), 0), 1)
}

// UnitSimilarity maps a cosine in [-1, 1] to [0, 1], as ranker surprise does.
func UnitSimilarity(cosine float64) float64 { return min(max((1+cosine)/2, 0), 1) }

// BySurprise is the weighted mean of the similarity, in Text, and the decayed surprise, in Prior.
func BySurprise(w *Weights, s *hippo.Signals) float64 {
	return held(s, w.Surprise.Similarity*s.Text+w.Surprise.Surprise*s.Prior)
}
