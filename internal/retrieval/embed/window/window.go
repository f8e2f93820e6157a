// Package window joins the vectors of the parts of long texts.
package window

import "math"

// Window is a text, or a part of a long one, as a sequence for an encoder.
type Window struct {
	// Text is its index in the request.
	Text int
	// Added is the number of its tokens that are not in the previous window of the text.
	Added int
	// IDs are its tokens.
	IDs []int32
}

// Join returns the vectors of n texts: that of the only window of a text, or the mean of those of its
// consecutive windows, each weighted by its number of new tokens, at length 1. A text without windows has
// a vector of dim zeros.
func Join(n, dim int, ws []Window, vectors [][]float32) [][]float32 {
	out := make([][]float32, n)
	for len(ws) > 0 {
		text, k := ws[0].Text, 1
		for k < len(ws) && ws[k].Text == text {
			k++
		}
		out[text] = vectors[0]
		if k > 1 {
			out[text] = mean(ws[:k], vectors[:k])
		}
		ws, vectors = ws[k:], vectors[k:]
	}
	for i, v := range out {
		if v == nil {
			out[i] = make([]float32, dim)
		}
	}
	return out
}

func mean(ws []Window, vectors [][]float32) []float32 {
	v := make([]float32, len(vectors[0]))
	for i, w := range ws {
		for d, x := range vectors[i] {
			v[d] += float32(w.Added) * x
		}
	}
	Unit(v)
	return v
}

// Unit scales v to length 1, unless it is zero.
func Unit(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	by := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * by)
	}
}
