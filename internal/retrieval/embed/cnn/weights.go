package cnn

import (
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// The shape of the network.
const (
	// dimension is that of piece vectors and of sentence vectors.
	dimension = 512
	// branches is the number of convolutional branches, channels the width of each.
	branches = 3
	channels = 256
	// wide is the width of the three branches, features that of a piece vector with them.
	wide     = branches * channels
	features = dimension + wide
	// hidden is the width of the first hidden layers of the head.
	hidden = 320
	// epsilon is added to variances and squared lengths.
	epsilon = 1e-12
	// reach is the largest distance of a position that one convolution reads.
	reach = 2
)

// shape is a branch: its convolutions span order positions, of which left are before the
// current one.
type shape struct{ order, left int }

func shapes() [branches]shape { return [branches]shape{{2, 0}, {3, 1}, {5, 2}} }

const (
	// orders is the sum of the orders of all branches.
	orders = 2 + 3 + 5
	// matrices is the number of weight matrices, each of which has a scale: the basis of the
	// codes of pieces, the projection of each branch, two convolutions of each, and seven of
	// the head.
	matrices = 1 + branches + 2*branches + 7
	// numbers is the number of float32 of the file: biases, layer norms, scales.
	numbers = 3*wide + 2*branches*channels + 2*features + dimension + matrices
	// weights is the number of int8 of the file.
	weights = dimension*dimension + dimension*wide + 2*orders*channels*channels + features*dimension +
		2*dimension*hidden + hidden*hidden + 2*hidden*dimension + dimension*dimension
)

// norm is a layer normalisation.
type norm struct{ gamma, beta []float32 }

// convolution is a layer of a branch: for each position, counted from the left, a matrix.
type convolution struct {
	shape
	taps []gemm.Matrix
	bias []float32
}

// network are the weights. Those of matrices stay in the file, as int8.
type network struct {
	kernel gemm.Kernel
	// basis maps codes of pieces to vectors of pieces.
	basis      gemm.Matrix
	projection [branches]gemm.Matrix
	bias       []float32 // of the projections
	first      norm
	layers     [branches][2]convolution
	last       norm
	head       head
}

// sparse is a matrix that stays in the file, int8 times a scale, row by row. It is multiplied with one
// vector for a text, of which about half of the components are 0.
type sparse struct {
	rows  []byte
	scale float32
}

// head maps the sum of the features of a text to its vector.
type head struct {
	sum                                          sparse
	bias                                         []float32
	up, mid, shortcut, down, lastShortcut, final sparse
}

// reader takes the sections of numbers and weights apart, in order.
type reader struct {
	numbers, weights []byte
	scales           []float32
}

func (r *reader) floats(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = number(r.numbers, i)
	}
	r.numbers = r.numbers[4*n:]
	return out
}

func (r *reader) norm(n int) norm { return norm{gamma: r.floats(n), beta: r.floats(n)} }

// matrix returns the next weights and their scale.
func (r *reader) matrix(n int) sparse {
	m := sparse{rows: r.weights[:n:n], scale: r.scales[0]}
	r.weights, r.scales = r.weights[n:], r.scales[1:]
	return m
}

// load converts what is not part of a matrix to float32. Cost: 50 KB.
func load(f *file, k gemm.Kernel) *network {
	r := &reader{numbers: f.numbers, weights: f.weights}
	r.scales = r.floats(matrices)
	n := &network{kernel: k, bias: r.floats(wide), first: r.norm(wide)}
	for b, s := range shapes() {
		for i := range n.layers[b] {
			n.layers[b][i] = convolution{shape: s, bias: r.floats(channels), taps: make([]gemm.Matrix, s.order)}
		}
	}
	n.last = r.norm(features)
	n.head.bias = r.floats(dimension)

	r.multiplier(&n.basis, k, dimension, dimension)
	for b := range n.projection {
		r.multiplier(&n.projection[b], k, dimension, channels)
	}
	for b := range n.layers {
		for i := range n.layers[b] {
			r.taps(n.layers[b][i].taps, k)
		}
	}
	n.head.sum = r.matrix(features * dimension)
	n.head.up = r.matrix(dimension * hidden)
	n.head.mid = r.matrix(hidden * hidden)
	n.head.shortcut = r.matrix(dimension * hidden)
	n.head.down = r.matrix(hidden * dimension)
	n.head.lastShortcut = r.matrix(hidden * dimension)
	n.head.final = r.matrix(dimension * dimension)
	return n
}

// multiplier sets to to the next weights.
func (r *reader) multiplier(to *gemm.Matrix, k gemm.Kernel, rows, cols int) {
	m := r.matrix(rows * cols)
	to.SetQuantized(k, m.rows, slices.Repeat([]float32{m.scale}, cols), rows, cols)
}

// taps sets the matrices of a convolution, which share a scale, to the next weights.
func (r *reader) taps(to []gemm.Matrix, k gemm.Kernel) {
	const size = channels * channels
	m := r.matrix(len(to) * size)
	scales := slices.Repeat([]float32{m.scale}, channels)
	for t := range to {
		to[t].SetQuantized(k, m.rows[t*size:][:size:size], scales, channels, channels)
	}
}

// add adds the product of x and the matrix to y.
func (m sparse) add(y, x []float32, list *[]int32, factors *[]float32) {
	*list, *factors = (*list)[:0], (*factors)[:0]
	for i, v := range x {
		if v != 0 {
			*list, *factors = append(*list, int32(i)), append(*factors, m.scale*v)
		}
	}
	vector.AddRows(y, m.rows, *list, *factors)
}
