package main

import "math"

// steps is how many steps Newton's method takes, which converges in fewer. The ridge keeps weights that decide nothing at 0.
const steps, ridge = 30, 1e-3

// group is the questions of one pair of sets about one of both: each group counts equally.
type group struct {
	notes, code string
	aboutCode   bool
}

func groupOf(t *trial) group { return group{t.Notes, t.Code, t.AboutCode} }

// fit fits the weights of a family by logistic regression: whether a question is about code, by how much the best hit of code
// has of each feature more than the best insight.
func fit(f *family, trials []trial) []float64 {
	sizes := make(map[group]int)
	for i := range trials {
		sizes[groupOf(&trials[i])]++
	}
	var rows [][]float64
	var labels, counts []float64
	for i := range trials {
		t := &trials[i]
		code, memory := first(&t.Tree, true), first(&t.Memory, false)
		row := f.features(&code)
		for k, x := range f.features(&memory) {
			row[k] -= x
		}
		label := 0.0
		if t.AboutCode {
			label = 1
		}
		rows, labels = append(rows, row), append(labels, label)
		counts = append(counts, 1/float64(sizes[groupOf(t)]*len(sizes)))
	}
	weights := make([]float64, len(rows[0]))
	for range steps {
		gradient, hessian := slope(weights, rows, labels, counts)
		for i, step := range solve(hessian, gradient) {
			weights[i] -= step
		}
	}
	return weights
}

// slope returns the first and the second derivatives of the loss.
func slope(weights []float64, rows [][]float64, labels, counts []float64) (gradient []float64, hessian [][]float64) {
	n := len(weights)
	gradient, hessian = make([]float64, n), make([][]float64, n)
	for i := range hessian {
		hessian[i] = make([]float64, n)
		gradient[i], hessian[i][i] = ridge*weights[i], ridge
	}
	for r, row := range rows {
		sum := 0.0
		for i, x := range row {
			sum += weights[i] * x
		}
		p := 1 / (1 + math.Exp(-sum))
		for i, x := range row {
			gradient[i] += counts[r] * (p - labels[r]) * x
			for k, y := range row {
				hessian[i][k] += counts[r] * p * (1 - p) * x * y
			}
		}
	}
	return gradient, hessian
}

// solve returns x of a x = b for a positive definite a, which it changes, by elimination.
func solve(a [][]float64, b []float64) []float64 {
	x := append([]float64(nil), b...)
	for i := range a {
		for r := range a {
			if r == i {
				continue
			}
			factor := a[r][i] / a[i][i]
			for k := range a[r] {
				a[r][k] -= factor * a[i][k]
			}
			x[r] -= factor * x[i]
		}
	}
	for i := range x {
		x[i] /= a[i][i]
	}
	return x
}
