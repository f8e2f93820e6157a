package gemm

import "math"

// lanes is the number of numbers that the routines of every kernel process at a time; the
// remainder is processed in plain Go.
const lanes = 8

// expTable returns the constants of e^x = 2^n·e^r, where n = round(x/ln 2) and
// e^r is a polynomial of degree 6 with a relative error of 2e-9 for |r| up to
// ln(2)/2, fitted by iterated least squares. In order: the least and the largest
// x, 1/ln 2, -ln 2 in two parts of which the first is short, so that n times it
// is exact, and the coefficients from the last.
func expTable() [12]float32 {
	return [12]float32{
		-87, 87, 1.44269504, -0.693359375, 2.12194440e-4,
		0.0013836726, 0.0083748985, 0.0416682321, 0.166664192, 0.49999992, 1.00000004, 1,
	}
}

// geluTable returns the constants of z·(Φ(z)-1/2) for z from 0 to 5.5: that
// limit, the factor of z² that makes it t, from -1 to 1 when 1 is taken away, and
// the coefficients of the polynomial in t from the last, fitted likewise with an
// absolute error of 9e-8. Φ is the normal distribution function.
func geluTable() [18]float32 {
	return [18]float32{
		5.5, 2 / (5.5 * 5.5),
		0.006349933333694935, -0.012752152979373932, 0.0014879981754347682, -0.0024543183390051126,
		0.035423375666141510, -0.052904557436704636, 0.0499395541846752170, -0.0629524737596511800,
		0.081809811294078830, -0.088310331106185910, 0.0909447744488716100, -0.1013852357864379900,
		0.135303512215614320, -0.248588949441909800, 0.9737409949302673000, 1.9443480968475342000,
	}
}

// GELU replaces each x by x·Φ(x), where Φ is the normal distribution function, to
// 1e-6: the exact form, not the one with tanh.
// Source: Hendrycks and Gimpel, Gaussian Error Linear Units, arXiv 1606.08415.
func (k Kernel) GELU(x []float32) {
	table := geluTable()
	n := len(x) &^ (lanes - 1)
	if n == 0 || !k.vectors() {
		gelu(x, &table)
		return
	}
	geluVector(&x[0], n, &table[0])
	gelu(x[n:], &table)
}

// SiLU multiplies each number of x by g/(1+e^-g), where g is the number of gate
// at the same place.
// Source: Shazeer, GLU Variants Improve Transformer, arXiv 2002.05202.
func (k Kernel) SiLU(x, gate []float32) {
	table := expTable()
	gate = gate[:len(x)]
	n := len(x) &^ (lanes - 1)
	if n == 0 || !k.vectors() {
		silu(x, gate, &table)
		return
	}
	siluVector(&x[0], &gate[0], n, &table[0])
	silu(x[n:], gate[n:], &table)
}

// Softmax replaces the first n numbers of x by e^(scale·x), divided by their sum,
// and the others by 1e-37 or less. n is at least 1, scale above 0. It is fastest if x has
// a multiple of 8 numbers.
func (k Kernel) Softmax(x []float32, n int, scale float32) {
	for i := n; i < len(x); i++ {
		x[i] = -math.MaxFloat32
	}
	table := expTable()
	whole := len(x) &^ (lanes - 1)
	if whole == 0 || !k.vectors() {
		sum := expSum(x, scale, scale*largest(x), &table)
		multiply(x, 1/sum)
		return
	}
	high := largestVector(&x[0], whole)
	if whole < len(x) {
		high = max(high, largest(x[whole:]))
	}
	sum := expSumVector(&x[0], whole, scale, scale*high, &table[0]) + expSum(x[whole:], scale, scale*high, &table)
	multiplyVector(&x[0], whole, 1/sum)
	multiply(x[whole:], 1/sum)
}

// LayerNorm scales x to mean 0 and variance 1, multiplies by gamma and adds beta, all of
// equal length. epsilon is added to the variance.
// Source: Ba, Kiros and Hinton, Layer Normalization, arXiv 1607.06450.
func (k Kernel) LayerNorm(x, gamma, beta []float32, epsilon float32) {
	gamma, beta = gamma[:len(x)], beta[:len(x)]
	if len(x) == 0 || len(x)%lanes != 0 || !k.vectors() {
		layerNorm(x, gamma, beta, epsilon)
		return
	}
	layerNormVector(&x[0], &gamma[0], &beta[0], len(x), epsilon)
}

func gelu(x []float32, table *[18]float32) {
	for i, v := range x {
		z := min(max(v, -v), table[0])
		t := z*z*table[1] - 1
		p := table[2]
		for _, c := range table[3:] {
			p = p*t + c
		}
		x[i] = max(v, 0) - z*0.5 + p
	}
}

func silu(x, gate []float32, table *[12]float32) {
	for i, g := range gate {
		x[i] *= g / (1 + exp(-g, table))
	}
}

func largest(x []float32) float32 {
	high := x[0]
	for _, v := range x[1:] {
		high = max(high, v)
	}
	return high
}

// expSum replaces each x by e^(scale·x-shift) and returns their sum.
func expSum(x []float32, scale, shift float32, table *[12]float32) float32 {
	var sum float32
	for i, v := range x {
		e := exp(v*scale-shift, table)
		x[i] = e
		sum += e
	}
	return sum
}

// rounder is 1.5·2^23: a float32 of that size has no fraction, so adding and subtracting it
// rounds to an integer.
const rounder = 12582912

func exp(x float32, table *[12]float32) float32 {
	x = min(max(x, table[0]), table[1])
	n := float32(x*table[2]) + rounder - rounder
	r := x + n*table[3]
	r += n * table[4]
	p := table[5]
	for _, c := range table[6:] {
		p = p*r + c
	}
	return math.Float32frombits(uint32(int32(math.Float32bits(p)) + int32(n)<<23))
}

func multiply(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}

func layerNorm(x, gamma, beta []float32, epsilon float32) {
	n := float32(len(x))
	var sum, squares float32
	for _, v := range x {
		sum += v
	}
	mean := sum / n
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	by := 1 / float32(math.Sqrt(float64(squares/n+epsilon)))
	for i, v := range x {
		x[i] = (v-mean)*by*gamma[i] + beta[i]
	}
}
