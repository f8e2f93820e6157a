package model

import (
	"fmt"
	"math"
	"strings"
)

// Term is a part of what a constant is at a size.
type Term int

// The terms: what does not depend on the size, and what grows with it.
const (
	One    Term = iota
	Log         // the logarithm to the base of ten: dictionaries and trees
	Root        // the square root: the words of texts
	Linear      // the size
	First       // the size, up to a thousand: a search finds memories on different pages, and a consolidation scores a thousand again
	Few         // the size, up to ten thousand: of a larger file a few searches read a part
	Pairs       // the square of the size: what is compared with each other
	allTerms
)

// at returns a term at a size.
func (t Term) at(n float64) float64 {
	switch t {
	case Log:
		return math.Log10(max(n, 1))
	case Root:
		return math.Sqrt(n)
	case Linear:
		return n
	case First:
		return min(n, 1000)
	case Few:
		return min(n, 10000)
	case Pairs:
		return n * n
	default:
		return 1
	}
}

func (t Term) String() string {
	return [...]string{One: "", Log: "log n", Root: "√n", Linear: "n", First: "min(n, 1000)", Few: "min(n, 10000)", Pairs: "n²"}[t]
}

// Fit is what a constant is at a size: the sum of terms, each times its factor.
type Fit [allTerms]float64

// At returns the value at a size.
func (f Fit) At(n float64) float64 {
	sum := 0.
	for t, factor := range f {
		if factor != 0 {
			sum += factor * Term(t).at(n)
		}
	}
	return sum
}

func (f Fit) String() string {
	var parts []string
	for t, factor := range f {
		if factor != 0 {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%.3g %v", factor, Term(t))))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " + ")
}

// Error returns how far the fit is from a point, as a share of the point.
func (f Fit) Error(p Point) float64 {
	if p.Value == 0 {
		return 0
	}
	return f.At(p.N)/p.Value - 1
}

// fitOf returns the factors of terms whose relative errors have the least sum of squares. None is negative.
func fitOf(points []Point, terms []Term) (best Fit) {
	least := math.Inf(1)
	for subset := 1; subset < 1<<len(terms); subset++ {
		var some []Term
		for i, t := range terms {
			if subset>>i&1 == 1 {
				some = append(some, t)
			}
		}
		f, ok := solve(points, some)
		if !ok {
			continue
		}
		sum := 0.
		for _, p := range points {
			sum += math.Pow(f.Error(p), 2)
		}
		if sum < least-1e-12 { // of equal ones the simplest
			best, least = f, sum
		}
	}
	return best
}

// solve returns the least squares for exactly these terms; not ok: a factor is negative, or there are too few sizes.
func solve(points []Point, terms []Term) (f Fit, ok bool) {
	k := len(terms)
	rows := make([][]float64, k) // the normal equations, the right side last
	for i := range rows {
		rows[i] = make([]float64, k+1)
	}
	for _, p := range points {
		if p.Value == 0 {
			continue
		}
		for i, t := range terms {
			a := t.at(p.N) / p.Value
			for j, u := range terms {
				rows[i][j] += a * u.at(p.N) / p.Value
			}
			rows[i][k] += a
		}
	}
	x, ok := eliminate(rows)
	for i, v := range x {
		if v < 0 {
			return f, false
		}
		f[terms[i]] = v
	}
	return f, ok
}

// eliminate solves linear equations; not ok: they have no single solution.
func eliminate(rows [][]float64) (x []float64, ok bool) {
	k := len(rows)
	for i := range k {
		scale := rows[i][i]
		if scale < 1e-300 {
			return nil, false
		}
		for j := i + 1; j < k; j++ {
			f := rows[j][i] / scale
			was := rows[j][j]
			for c := i; c <= k; c++ {
				rows[j][c] -= f * rows[i][c]
			}
			if rows[j][j] < 1e-12*was { // the terms are the same at these sizes
				return nil, false
			}
		}
	}
	x = make([]float64, k)
	for i := k - 1; i >= 0; i-- {
		sum := rows[i][k]
		for j := i + 1; j < k; j++ {
			sum -= rows[i][j] * x[j]
		}
		x[i] = sum / rows[i][i]
	}
	return x, true
}
