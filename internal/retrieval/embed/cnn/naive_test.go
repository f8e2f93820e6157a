package cnn_test

import "math"

// embed returns the vector of the tokens, in plain loops of float64.
func (m *model) embed(ids []int32) []float64 {
	numbers, weights := m.numbers, m.weights
	take := func(n int) []float64 {
		out := numbers[:n]
		numbers = numbers[n:]
		return out
	}
	matrix := func(i int) ([]float64, [2]int) {
		s := shapes()[i]
		out := weights[:s[0]*s[1]]
		weights = weights[s[0]*s[1]:]
		return out, s
	}
	basis, s := matrix(0)
	rows := make([][]float64, len(ids))
	for t, id := range ids {
		rows[t] = product(m.codes[id], basis, s)
	}
	bias, gamma, beta := take(3*channels), take(3*channels), take(3*channels)
	projected := make([][]float64, len(ids))
	for b := range 3 {
		w, s := matrix(1 + b)
		for t := range ids {
			projected[t] = append(projected[t], product(rows[t], w, s)...)
		}
	}
	all := make([][]float64, len(ids))
	for t := range ids {
		all[t] = append(all[t], rows[t]...)
		layerNorm(add(projected[t], bias), gamma, beta)
	}
	for b, shape := range [][2]int{{2, 0}, {3, 1}, {5, 2}} {
		x := make([][]float64, len(ids))
		for t := range x {
			x[t] = projected[t][b*channels:][:channels]
		}
		for layer := range 2 {
			w, s := matrix(4 + 2*b + layer)
			bias := take(channels)
			next := make([][]float64, len(x))
			for t := range x {
				var window []float64
				for at := t - shape[1]; at < t-shape[1]+shape[0]; at++ {
					if at < 0 || at >= len(x) {
						window = append(window, make([]float64, channels)...)
					} else {
						window = append(window, x[at]...)
					}
				}
				next[t] = add(positive(add(product(window, w, s), bias)), x[t])
			}
			x = next
		}
		for t := range x {
			all[t] = append(all[t], x[t]...)
		}
	}
	gamma, beta = take(features), take(features)
	sum := make([]float64, features)
	for _, x := range all {
		layerNorm(x, gamma, beta)
		add(sum, x)
	}
	w, s := matrix(10)
	n := float64(len(ids))
	mean := product(sum, w, s)
	for i, b := range take(dimension) {
		mean[i] = (mean[i] + n*b) / math.Sqrt(n)
	}
	w, s = matrix(11)
	up := positive(product(mean, w, s))
	w, s = matrix(12)
	mid := product(up, w, s)
	w, s = matrix(13)
	mid = positive(add(mid, product(mean, w, s)))
	w, s = matrix(14)
	down := positive(product(mid, w, s))
	w, s = matrix(15)
	out := product(mid, w, s)
	w, s = matrix(16)
	add(out, product(down, w, s))
	length := 0.0
	for i, x := range out {
		out[i] = math.Tanh(x)
		length += out[i] * out[i]
	}
	for i := range out {
		out[i] /= math.Sqrt(length)
	}
	return out
}

func product(x, w []float64, shape [2]int) []float64 {
	y := make([]float64, shape[1])
	for r, v := range x {
		for c, b := range w[r*shape[1]:][:shape[1]] {
			y[c] += v * b
		}
	}
	return y
}

func add(to, x []float64) []float64 {
	for i, v := range x {
		to[i] += v
	}
	return to
}

func positive(x []float64) []float64 {
	for i, v := range x {
		x[i] = max(v, 0)
	}
	return x
}

func layerNorm(x, gamma, beta []float64) {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	for i, v := range x {
		x[i] = (v-mean)/math.Sqrt(variance+1e-12)*gamma[i] + beta[i]
	}
}
