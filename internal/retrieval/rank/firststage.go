package rank

import "math"

const (
	// The table of a Scorer begins at the sum minTable, has perUnit steps for each unit,
	// and ends at maxTable. Linear interpolation between its entries is within 1e-5.
	minTable, maxTable = -8, 40
	perUnit            = 64
	// tableLengths is the number of lengths whose feature is in a table.
	tableLengths = 1024
	// lengthUnit brings the logarithm of a length into the order of 1.
	lengthUnit = 5
)

// Scorer evaluates what the first stage asks of every match: the relevance of its text by
// BM25, cosine and length. It is immutable. Making one costs some 100 us, and an evaluation a
// few nanoseconds: that is what it is for.
type Scorer struct {
	w       FirstStage
	scale   float64
	text    []float64
	lengths []float64
}

// NewScorer returns the Scorer of w.
func NewScorer(w *Weights) *Scorer {
	s := &Scorer{
		w: w.FirstStage, scale: w.Rerank.Scale,
		text: make([]float64, (maxTable-minTable)*perUnit+1), lengths: make([]float64, tableLengths),
	}
	for i := range s.text {
		s.text[i] = relevance(s.scale, minTable+float64(i)/perUnit)
	}
	for n := range s.lengths {
		s.lengths[n] = lengthOf(n)
	}
	return s
}

// Length is the feature [Length] of a content with n terms.
func (s *Scorer) Length(terms int) float64 {
	if terms < tableLengths {
		return s.lengths[terms]
	}
	return lengthOf(terms)
}

func lengthOf(terms int) float64 { return math.Log1p(float64(terms)) / lengthUnit }

// Sum is the weighted sum of the features [BM25Relative], [Cosine], [Multilingual] and [Length], with the
// weights of [FirstStage].
func (s *Scorer) Sum(bm25, cosine, multilingual, length float64) float64 {
	return float64(s.w.BM25Relative*bm25) + float64(s.w.Cosine*cosine) + float64(s.w.Multilingual*multilingual) + float64(s.w.Length*length)
}

// Text is the relevance of a text with a weighted sum, in [0, 1]: as [Linear.Text], read off a table to within 1e-5.
func (s *Scorer) Text(sum float64) float64 {
	at := (sum - minTable) * perUnit
	if !(at >= 0 && at < (maxTable-minTable)*perUnit) {
		return relevance(s.scale, sum)
	}
	i := int(at)
	return s.text[i] + float64((at-float64(i))*(s.text[i+1]-s.text[i]))
}

// LeastSum returns a weighted sum such that any below it has a [Scorer.Text] of less than a relevance. Cost: two
// logarithms and an exponential.
func (s *Scorer) LeastSum(relevance float64) float64 {
	const margin = 2e-5 // more than the table is off, and than rounding
	r := relevance - margin
	if r <= 0 {
		return math.Inf(-1)
	}
	return math.Log(math.Expm1(-s.scale * math.Log1p(-min(r, 1-margin))))
}
