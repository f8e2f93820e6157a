package bert

import (
	"fmt"
	"math"

	"github.com/hippo-memory/hippo"
)

// pool sets the vectors of the windows of a group from those of their tokens. Finite
// weights may be so large that sums of them are not: that is [hippo.ErrCorrupt].
func (p *pass) pool(how Pooling, group []int, out [][]float32) error {
	for k, i := range group {
		v := make([]float32, p.hidden)
		last := p.starts[k] + 1
		if how == Mean {
			last = p.starts[k+1]
		}
		for t := p.starts[k]; t < last; t++ {
			for d, x := range p.x[t*p.hidden:][:p.hidden] {
				v[d] += x
			}
		}
		unit(v)
		if notFinite(v) >= 0 {
			return fmt.Errorf("%w: the weights of the model are too large: a vector is not finite", hippo.ErrCorrupt)
		}
		out[i] = v
	}
	return nil
}

// join returns the vector of each of n texts from those of its consecutive windows.
func join(n int, ws []window, vectors [][]float32) [][]float32 {
	out := make([][]float32, n)
	for len(ws) > 0 {
		text, k := ws[0].text, 1
		for k < len(ws) && ws[k].text == text {
			k++
		}
		out[text] = vectors[0]
		if k > 1 {
			out[text] = mean(ws[:k], vectors[:k])
		}
		ws, vectors = ws[k:], vectors[k:]
	}
	return out
}

// mean returns the mean of the vectors of windows, each weighted by its number of new
// tokens, at length 1.
func mean(ws []window, vectors [][]float32) []float32 {
	v := make([]float32, len(vectors[0]))
	for i, w := range ws {
		for d, x := range vectors[i] {
			v[d] += float32(w.added) * x
		}
	}
	unit(v)
	return v
}

// unit scales v to length 1, unless it is zero.
func unit(v []float32) {
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
