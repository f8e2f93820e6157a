// Package bm25 holds the parts of word search that need no index: analyzers,
// which turn text into terms, and the BM25F formula.
//
// It keeps no documents and knows no store. Invariant: equal inputs give equal
// terms and bit-identical scores, on every platform: no map order, no fused
// multiply-add, no locale takes part.
package bm25

import "math"

// Field is a part of a memory that is searched with a weight of its own.
type Field int

// The fields, in the order of the arrays that are indexed by Field.
const (
	Content Field = iota
	Situation
	Tags
	// NumFields is the length of those arrays.
	NumFields
)

// Counts holds one number for each field: how often a term occurs, or how many
// terms there are.
type Counts [NumFields]uint32

// Params are the constants of the formula. The zero value is useless; start
// from [DefaultParams].
type Params struct {
	// K1 bounds what repetition adds: the more, the later it saturates; above 0.
	K1 float64
	// Weight multiplies the term frequency of a field; 0 ignores the field.
	Weight [NumFields]float64
	// B is how far the length of a field counts, from 0 to 1.
	B [NumFields]float64
}

// DefaultParams returns k1 1.2 and b 0.75, the usual values, with all fields of
// equal weight. Source: Robertson and Zaragoza, The Probabilistic Relevance
// Framework: BM25 and Beyond, 2009; see docs/ranking.md.
func DefaultParams() Params {
	return Params{K1: 1.2, Weight: [NumFields]float64{1, 1, 1}, B: [NumFields]float64{.75, .75, .75}}
}

// Stats are what the formula needs to know about all live documents.
type Stats struct {
	Docs int
	// Length is the sum of the lengths of a field, in terms.
	Length [NumFields]uint64
}

// Add adds the statistics of other documents.
func (s *Stats) Add(o *Stats) {
	s.Docs += o.Docs
	for f, n := range o.Length {
		s.Length[f] += n
	}
}

// IDF is the weight of a term that df of n documents contain: ln(1 + (n-df+.5)/(df+.5)).
// It is above 0 for 0 <= df <= n.
func IDF(n, df int) float64 {
	return math.Log(1 + (float64(n-df)+.5)/(float64(df)+.5))
}

// Frequencies up to tableTF, and lengths below that of a [Row], are looked up in
// tables of the [Scorer]; they cover nearly all of what short memories need.
const tableTF = 8

// Row holds [Scorer.Saturated], by length of the content, of a term that occurs
// a number of times in the content and nowhere else.
type Row [256]float64

// Scorer evaluates the formula for one state of the index. Making one costs some
// ten microseconds; it is immutable and safe for concurrent use.
type Scorer struct {
	params Params
	mean   [NumFields]float64
	parts  [NumFields]Row
	rows   [tableTF]Row
}

// NewScorer returns the Scorer for documents with these Stats.
func NewScorer(p Params, s Stats) *Scorer {
	c := &Scorer{params: p}
	for f, sum := range s.Length {
		if s.Docs > 0 {
			c.mean[f] = float64(sum) / float64(s.Docs)
		}
		for n := range c.parts[f] {
			c.parts[f][n] = c.compute(Field(f), uint32(n))
		}
	}
	for i := range c.rows {
		for n := range c.rows[i] {
			c.rows[i][n] = c.Saturated(&Counts{Content: uint32(i + 1)}, &Counts{Content: uint32(n)})
		}
	}
	return c
}

// compute returns what one occurrence in field f counts at this length of it.
func (c *Scorer) compute(f Field, length uint32) float64 {
	b, norm := c.params.B[f], 1.0
	if c.mean[f] > 0 {
		norm = 1 - b + float64(b*float64(length))/c.mean[f]
	}
	if norm <= 0 { // b is 1 and the field empty: nothing occurs in it
		return 0
	}
	return c.params.Weight[f] / norm
}

// part is what n occurrences in field f count at this length of it.
func (c *Scorer) part(f Field, n, length uint32) float64 {
	if length < uint32(len(c.parts[f])) {
		return float64(n) * c.parts[f][length]
	}
	return float64(n) * c.compute(f, length)
}

// Saturated is what a term adds to the score of a document for each unit of
// idf, in [0, k1+1): with the weighted, length-normalised frequencies of all
// fields added up first and saturated once.
func (c *Scorer) Saturated(tf, length *Counts) float64 {
	t := 0.0
	if n := tf[Content]; n != 0 {
		t = c.part(Content, n, length[Content])
	}
	if n := tf[Situation]; n != 0 {
		t += float64(c.part(Situation, n, length[Situation]))
	}
	if n := tf[Tags]; n != 0 {
		t += float64(c.part(Tags, n, length[Tags]))
	}
	return t * (c.params.K1 + 1) / (t + c.params.K1)
}

// Row returns the table for a term that occurs tf times in the content and in no
// other field; nil if there is none.
func (c *Scorer) Row(tf uint32) *Row {
	if tf == 0 || tf > tableTF {
		return nil
	}
	return &c.rows[tf-1]
}

// Most is the bound of [Scorer.Saturated]: k1+1.
func (c *Scorer) Most() float64 { return c.params.K1 + 1 }
