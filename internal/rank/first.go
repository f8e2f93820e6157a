package rank

import (
	"math"

	"github.com/hippo-memory/hippo"
)

const (
	// The table of a FirstLook begins at the sum leastSum, has perUnit steps for each
	// unit, and ends at mostSum. Between its entries a straight line is within 1e-5.
	leastSum, mostSum = -8, 40
	perUnit           = 64
	// tableLengths is how many lengths have their evidence in a table.
	tableLengths = 1024
	// lengthUnit brings the logarithm of a length into the order of 1.
	lengthUnit = 5
)

// FirstLook evaluates what every match of a search is asked: the relevance of its text
// by share, cosine and length. It is immutable. Making one costs some 100 us, and an
// evaluation a few nanoseconds: that is what it is for.
type FirstLook struct {
	w       Weights
	text    []float64
	lengths []float64
}

// NewFirstLook returns the FirstLook of w.
func NewFirstLook(w Weights) *FirstLook {
	f := &FirstLook{w: w, text: make([]float64, (mostSum-leastSum)*perUnit+1), lengths: make([]float64, tableLengths)}
	for i := range f.text {
		f.text[i] = relevanceOf(&w, leastSum+float64(i)/perUnit)
	}
	for n := range f.lengths {
		f.lengths[n] = lengthOf(n)
	}
	return f
}

// Length is the evidence of a content of so many words.
func (f *FirstLook) Length(words int) float64 {
	if words < tableLengths {
		return f.lengths[words]
	}
	return lengthOf(words)
}

func lengthOf(words int) float64 { return math.Log1p(float64(words)) / lengthUnit }

// LogLength is the logarithm that a length is evidence of: ln(1 + words).
func LogLength(e *hippo.Evidence) float64 { return e[hippo.EvidenceLength] * lengthUnit }

// Of is the relevance of a text, in [0, 1]: 1 - exp(-ln(1 + exp(sum)) / scale) of the
// sum weighted by [Weights.First], read off a table to within 1e-5.
func (f *FirstLook) Of(e *hippo.Evidence) float64 {
	w := &f.w.First
	sum := float64(w.Share*e[hippo.EvidenceShare]) + float64(w.Cosine*e[hippo.EvidenceCosine]) + float64(w.Length*e[hippo.EvidenceLength])
	at := (sum - leastSum) * perUnit
	if !(at >= 0 && at < (mostSum-leastSum)*perUnit) {
		return relevanceOf(&f.w, sum)
	}
	i := int(at)
	return f.text[i] + float64((at-float64(i))*(f.text[i+1]-f.text[i]))
}
