package cnn

import (
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/window"
)

// margin is the number of rows of zeros before, between and after windows: what a
// convolution sees beyond the ends of a window.
const margin = reach

// pass is a forward pass of a batch of windows. Its buffers are reused for other batches.
type pass struct {
	*network
	table *file
	// starts are the rows of the windows' first tokens.
	starts []int
	// x has for each token the code of its piece and then the projection of its vector, one
	// branch after the other; h the output of the first convolution of a branch; features
	// the vector of the piece and the outputs of the branches.
	x, h, features []float32
	head           headBuffer
}

func sized(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// run sets the vector of each window, of length 1.
func (p *pass) run(ws []window.Window, out [][]float32) {
	rows := margin
	p.starts = p.starts[:0]
	for _, w := range ws {
		p.starts = append(p.starts, rows)
		rows += size(&w) + margin
	}
	p.x = sized(p.x, rows*wide)
	p.h = sized(p.h, rows*channels)
	p.features = sized(p.features, rows*features)
	p.setPieces(ws, rows)
	p.project(ws, rows)
	for b := range branches {
		in := p.x[b*channels:]
		p.convolve(ws, rows, &p.layers[b][0], in, wide, p.h, channels)
		p.convolve(ws, rows, &p.layers[b][1], p.h, channels, p.features[dimension+b*channels:], features)
	}
	for i, w := range ws {
		out[i] = p.pool(p.starts[i], size(&w))
	}
}

// setPieces sets the first features to the vectors of the pieces, and to zeros in the margins.
func (p *pass) setPieces(ws []window.Window, rows int) {
	codes := p.x[:rows*dimension]
	p.margins(ws, rows, codes, dimension, dimension)
	for i, w := range ws {
		at := p.starts[i]
		p.table.row(codes[at*dimension:][:dimension], firstToken)
		for _, id := range w.IDs {
			at++
			p.table.row(codes[at*dimension:][:dimension], id)
		}
		p.table.row(codes[(at+1)*dimension:][:dimension], lastToken)
	}
	for row := range rows {
		clear(p.features[row*features:][:dimension])
	}
	p.basis.AddProduct(p.features, features, codes, dimension, rows)
}

// margins sets cols numbers of the rows of all margins to zeros.
func (p *pass) margins(ws []window.Window, rows int, x []float32, stride, cols int) {
	at := 0
	for i := range len(ws) + 1 {
		to := rows
		if i < len(ws) {
			to = p.starts[i]
		}
		for ; at < to; at++ {
			clear(x[at*stride:][:cols])
		}
		if i < len(ws) {
			at = to + size(&ws[i])
		}
	}
}

// project sets x. Its margins are zeros.
func (p *pass) project(ws []window.Window, rows int) {
	p.each(ws, func(row int) { copy(p.x[row*wide:][:wide], p.bias) })
	p.margins(ws, rows, p.x, wide, wide)
	for b := range p.projection {
		p.projection[b].AddProduct(p.x[b*channels:], wide, p.features, features, rows)
	}
	p.each(ws, func(row int) { p.kernel.LayerNorm(p.x[row*wide:][:wide], p.first.gamma, p.first.beta, epsilon) })
}

// each calls f with the row of each token.
func (p *pass) each(ws []window.Window, f func(row int)) {
	for i, w := range ws {
		for row := p.starts[i]; row < p.starts[i]+size(&w); row++ {
			f(row)
		}
	}
}

// convolve sets to to relu(convolution of x) + x for each token, and to zeros in the
// margins. Rows are ldx and ldy numbers apart.
func (p *pass) convolve(ws []window.Window, rows int, c *convolution, x []float32, ldx int, y []float32, ldy int) {
	n := rows - 2*margin
	inner := y[margin*ldy:]
	for row := range n {
		copy(inner[row*ldy:][:channels], c.bias)
	}
	for t := range c.taps {
		c.taps[t].AddProduct(inner, ldy, x[(margin+t-c.left)*ldx:], ldx, n)
	}
	p.each(ws, func(row int) {
		in, out := x[row*ldx:][:channels], y[row*ldy:][:channels]
		for i, v := range out {
			out[i] = max(v, 0) + in[i]
		}
	})
	p.margins(ws, rows, y, ldy, channels)
}

// pool returns the vector of the window whose n tokens begin at a row.
func (p *pass) pool(row, n int) []float32 {
	b := &p.head
	clear(b.sum[:])
	for r := row; r < row+n; r++ {
		x := p.features[r*features:][:features]
		p.kernel.LayerNorm(x, p.last.gamma, p.last.beta, epsilon)
		for i, v := range x {
			b.sum[i] += v
		}
	}
	return p.network.head.run(b, n)
}

// headBuffer is the memory of the head.
type headBuffer struct {
	sum     [features]float32
	mean    [dimension]float32
	up      [hidden]float32
	mid     [hidden]float32
	down    [dimension]float32
	list    []int32
	factors []float32
}

// run returns the vector for the sum of the features of n tokens.
func (h *head) run(b *headBuffer, n int) []float32 {
	for i, v := range h.bias {
		b.mean[i] = float32(n) * v
	}
	h.sum.add(b.mean[:], b.sum[:], &b.list, &b.factors)
	multiply(b.mean[:], 1/float32(math.Sqrt(float64(n))))

	clear(b.up[:])
	h.up.add(b.up[:], b.mean[:], &b.list, &b.factors)
	relu(b.up[:])
	clear(b.mid[:])
	h.shortcut.add(b.mid[:], b.mean[:], &b.list, &b.factors)
	h.mid.add(b.mid[:], b.up[:], &b.list, &b.factors)
	relu(b.mid[:])
	clear(b.down[:])
	h.down.add(b.down[:], b.mid[:], &b.list, &b.factors)
	relu(b.down[:])
	out := make([]float32, dimension)
	h.lastShortcut.add(out, b.mid[:], &b.list, &b.factors)
	h.final.add(out, b.down[:], &b.list, &b.factors)
	for i, v := range out {
		out[i] = float32(math.Tanh(float64(v)))
	}
	window.Unit(out)
	return out
}

func relu(x []float32) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}

func multiply(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}
