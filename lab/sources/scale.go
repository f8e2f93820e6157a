package main

import (
	"cmp"
	"math"
	"slices"
)

// hit is a hit of a source, by what a scale may know of it.
type hit struct {
	code                  bool
	relevance, confidence float64
	right                 bool
}

// scale returns what the hits of both sources are ordered by.
type scale func(h *hit) float64

// logit is the logarithm of the odds of a probability that is not too near to 0 and 1.
func logit(p float64) float64 {
	const least = 1e-4
	p = min(max(p, least), 1-least)
	return math.Log(p / (1 - p))
}

// family is scales with weights that are fitted: a sum of features of a hit.
type family struct {
	name string
	// features of a hit of code, or of an insight: how much code has of each more than insights decides which is first.
	features func(h *hit) []float64
}

// of returns the scale of a family with weights.
func (f *family) of(weights []float64) scale {
	return func(h *hit) float64 {
		sum := 0.0
		for i, x := range f.features(h) {
			sum += weights[i] * x
		}
		return sum
	}
}

func isCode(h *hit) float64 {
	if h.code {
		return 1
	}
	return 0
}

// families returns the families from the simplest to that with most weights.
func families() []family {
	return []family{
		{"odds of code times a constant", func(h *hit) []float64 { return []float64{isCode(h), logit(h.relevance)} }},
		{"and confidence", func(h *hit) []float64 { return []float64{isCode(h), logit(h.relevance), logit(h.confidence)} }},
		{"confidence only", func(h *hit) []float64 { return []float64{isCode(h), logit(h.confidence)} }},
		{"a slope for each source", func(h *hit) []float64 {
			c, x := isCode(h), logit(h.relevance)
			return []float64{c, c * x, (1 - c) * x}
		}},
		{"and for its confidence", func(h *hit) []float64 {
			c, x, y := isCode(h), logit(h.relevance), logit(h.confidence)
			return []float64{c, c * x, (1 - c) * x, c * y, (1 - c) * y}
		}},
	}
}

// plainScales returns the scales without weights that are fitted.
func plainScales() map[string]scale {
	return map[string]scale{
		"relevance":                          func(h *hit) float64 { return h.relevance },
		"confidence":                         func(h *hit) float64 { return h.confidence + h.relevance/1e6 },
		"relevance x (.9 + .1 x confidence)": func(h *hit) float64 { return h.relevance * (.9 + .1*h.confidence) },
		"relevance x (.5 + .5 x confidence)": func(h *hit) float64 { return h.relevance * (.5 + .5*h.confidence) },
	}
}

// first returns the best hit of a source, of which nothing is known if it found none.
func first(f *found, code bool) hit {
	h := hit{code: code, confidence: f.Confidence}
	if len(f.Relevance) > 0 {
		h.relevance, h.right = f.Relevance[0], f.Right[0]
	}
	return h
}

// figures are shares of questions: those whose first hit is of the right source, whose first hit is an answer, and with an answer
// among the first ten hits.
type figures struct{ source, hit, recall float64 }

// ordered returns the figures of one question on a scale.
func ordered(t *trial, s scale) (out figures) {
	var hits []hit
	for _, side := range []struct {
		*found
		code bool
	}{{&t.Memory, false}, {&t.Tree, true}} {
		for i, r := range side.Relevance {
			hits = append(hits, hit{side.code, r, side.Confidence, side.Right[i]})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(s(&b), s(&a)) })
	hits = hits[:min(shown, len(hits))]
	if len(hits) > 0 && hits[0].code == t.AboutCode {
		out.source = 1
	}
	if len(hits) > 0 && hits[0].right {
		out.hit = 1
	}
	if slices.ContainsFunc(hits, func(h hit) bool { return h.right }) {
		out.recall = 1
	}
	return out
}
