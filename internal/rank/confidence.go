package rank

import "math"

// Support is what speaks for or against an answer as a whole; the fractions are in [0, 1].
type Support struct {
	// Text is the best relevance of a text among the first hits at the first stage: the
	// second one compares them with each other. Coverage is the best of the first hits.
	Text, Coverage float64
	// Covered is how well the tokens of the query are covered by those of the first hits
	// together, by cosine.
	Covered float64
	// Lead is the largest standard score of the first hits, see [Standard], by the model in
	// use or the multilingual one.
	Lead float64
	// UnknownNames is the share, weighted by idf, of the query's words that are written
	// like names and occur in no memory.
	UnknownNames float64
	// Terms is the number of distinct terms that were searched, Memories of memories in
	// the scope.
	Terms, Memories int
	// Semantic: vectors took part in the search.
	Semantic bool
}

// Map returns the parts by name.
func (s *Support) Map() map[string]float64 {
	semantic := 0.0
	if s.Semantic {
		semantic = 1
	}
	return map[string]float64{
		"text": s.Text, "coverage": s.Coverage, "covered": s.Covered, "lead": s.Lead, "unknown_names": s.UnknownNames,
		"terms": float64(s.Terms), "memories": float64(s.Memories), "semantic": semantic,
	}
}

// minText keeps the log-odds of a hit that says next to nothing finite.
const minText = -5

// ConfidenceOf is the confidence that what was found answers the query, in (0, 1): a logistic
// function of a weighted sum. It grows with Text, Coverage, Covered and Lead and falls with
// UnknownNames. Source: logistic regression on questions asked of the right store and of
// another; docs/ranking.md.
func ConfidenceOf(w *Weights, s *Support) float64 {
	c := &w.Confidence.Lexical
	if s.Semantic {
		c = &w.Confidence.Semantic
	}
	sum := c.Base + c.Text*sumOf(w.Rerank.Scale, s.Text) + c.Coverage*s.Coverage + c.Covered*s.Covered + c.Lead*s.Lead + c.UnknownNames*s.UnknownNames
	return rounded(1 / (1 + math.Exp(-sum)))
}

// sumOf is the weighted sum that [Scorer.Text] maps to text, at least minText.
func sumOf(scale, text float64) float64 {
	u := -scale * math.Log1p(-min(text, 1-1e-9))
	if u <= 0 {
		return minText
	}
	return max(minText, u+math.Log(-math.Expm1(-u)))
}

// Weak reports whether the hits may well not answer the query. They are never weak if one of them
// has every term of the query.
func Weak(w *Weights, s *Support) bool {
	return s.Coverage < 1 && ConfidenceOf(w, s) < w.Confidence.Weak
}
