package causal

import (
	"context"
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// blockRows is the number of rows of attention scores and of hidden units that are computed at a time, so that they stay
// in the second-level cache.
const blockRows = 128

// pass is a forward pass of one text.
type pass struct {
	*decoder
	n int // tokens
	// x is the hidden state of each token, y what a norm makes of it, qkv its queries, keys and values.
	x, y, qkv []float32
	// mid are the hidden units of the feed-forward network of blockRows tokens, scores those of an attention head.
	mid, scores  []float32
	keys, values gemm.Matrix
}

// run computes y, the normalised state after the last layer. It ends early with the error of ctx.
func (d *decoder) run(ctx context.Context, ids []int32) (*pass, error) {
	n, h := len(ids), d.hidden
	p := &pass{decoder: d, n: n, x: make([]float32, n*h), y: make([]float32, n*h), qkv: make([]float32, n*d.stride())}
	_, wide := d.layers[0].up.w.Dims()
	p.mid = make([]float32, min(n, blockRows)*wide)
	p.scores = make([]float32, min(n, blockRows)*p.wide())
	buf := make([]byte, 4*h)
	for i, id := range ids {
		row := p.x[i*h:][:h]
		if err := d.row(row, id, buf); err != nil {
			return nil, err
		}
		if !d.qwen2 {
			for k, v := range d.positions[i*h:][:h] {
				row[k] += v
			}
		}
	}
	for i := range d.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.normalise(&d.layers[i].attention)
		p.attend(&d.layers[i])
		p.normalise(&d.layers[i].feed)
		p.feedForward(&d.layers[i])
	}
	p.normalise(&d.last)
	return p, nil
}

// wide is the number of scores of a row: kernels are fastest with a multiple of 8.
func (p *pass) wide() int { return (p.n + 7) &^ 7 }

// attend adds multi-head self-attention to x, of each token to those up to it. Heads of a group share keys and values.
// Sources: Vaswani et al., arXiv 1706.03762, section 3.2; Ainslie et al., GQA, arXiv 2305.13245.
func (p *pass) attend(l *layer) {
	h, stride, size := p.hidden, p.stride(), p.size()
	p.multiply(&l.qkv, p.qkv, p.y, p.n, false)
	if p.qwen2 {
		p.rotate()
	}
	attended := p.y
	clear(attended)
	for g := range p.groups {
		p.keys.PackTransposed(p.kernel, p.qkv[h+g*size:], size, p.n, stride)
		p.values.Pack(p.kernel, p.qkv[h+p.shared()+g*size:], p.n, size, stride)
		for k := g * p.heads / p.groups; k < (g+1)*p.heads/p.groups; k++ {
			p.attendHead(k*size, attended)
		}
	}
	p.multiply(&l.out, p.x, attended, p.n, true)
}

// attendHead computes the head whose queries begin at that number of each token.
func (p *pass) attendHead(at int, attended []float32) {
	wide, stride := p.wide(), p.stride()
	scale := float32(1 / math.Sqrt(float64(p.size())))
	for top := 0; top < p.n; top += blockRows {
		rows := min(blockRows, p.n-top)
		scores := p.scores[:rows*wide]
		clear(scores)
		p.keys.AddProduct(scores, wide, p.qkv[top*stride+at:], stride, rows)
		for r := range rows {
			p.kernel.Softmax(scores[r*wide:][:wide], top+r+1, scale)
		}
		p.values.AddProduct(attended[top*p.hidden+at:], p.hidden, scores, wide, rows)
	}
}

// rotate applies rotary position embeddings to the queries and keys.
func (p *pass) rotate() {
	size := p.size()
	pairs := size / 2
	for t := range p.n {
		cos, sin := p.cos[t*pairs:][:pairs], p.sin[t*pairs:][:pairs]
		for both := p.qkv[t*p.stride():][:p.hidden+p.shared()]; len(both) > 0; both = both[size:] {
			low, high := both[:pairs], both[pairs:size]
			for i, a := range low {
				b := high[i]
				low[i] = a*cos[i] - b*sin[i]
				high[i] = b*cos[i] + a*sin[i]
			}
		}
	}
}

// feedForward adds the output of the feed-forward network to x, a block of tokens at a time.
func (p *pass) feedForward(l *layer) {
	_, wide := l.up.w.Dims()
	inner, _ := l.down.w.Dims()
	for top := 0; top < p.n; top += blockRows {
		rows := min(blockRows, p.n-top)
		p.multiply(&l.up, p.mid, p.y[top*p.hidden:], rows, false)
		for r := range rows {
			switch mid := p.mid[r*wide:][:wide]; {
			case p.qwen2:
				p.kernel.SiLU(mid[:inner], mid[inner:])
			case p.exact:
				p.kernel.GELU(mid)
			default:
				geluTanh(p.kernel, mid)
			}
		}
		l.down.add(p.x[top*p.hidden:], p.mid, wide, rows)
	}
}

// multiply sets to to the output of a linear layer for n rows of from, or adds it.
func (p *pass) multiply(l *linear, to, from []float32, n int, add bool) {
	in, out := l.w.Dims()
	if !add {
		clear(to[:n*out])
	}
	l.add(to, from, in, n)
}

// add adds the output for n rows of from, stride apart, to to.
func (l *linear) add(to, from []float32, stride, n int) {
	_, out := l.w.Dims()
	if l.bias != nil {
		for r := range n {
			for i, b := range l.bias {
				to[r*out+i] += b
			}
		}
	}
	l.w.AddProduct(to, out, from, stride, n)
}

// normalise sets y to the norm of x.
func (p *pass) normalise(by *norm) {
	copy(p.y, p.x)
	for t := range p.n {
		row := p.y[t*p.hidden:][:p.hidden]
		if by.beta != nil {
			p.kernel.LayerNorm(row, by.gamma, by.beta, p.epsilon)
		} else {
			rootMeanSquare(row, by.gamma, p.epsilon)
		}
	}
}

// rootMeanSquare divides x by its root mean square and multiplies by gamma.
// Source: Zhang and Sennrich, Root Mean Square Layer Normalization, arXiv 1910.07467.
func rootMeanSquare(x, gamma []float32, epsilon float32) {
	var squares float32
	for _, v := range x {
		squares += v * v
	}
	by := 1 / float32(math.Sqrt(float64(squares/float32(len(x))+epsilon)))
	for i, v := range x {
		x[i] = v * by * gamma[i]
	}
}

// geluTanh replaces each x by x/2 (1 + tanh(k/2 (x + .044715 x³))), k = 2 √(2/π), the approximation of GELU in GPT-2. That is
// x/(1+e^-u) with u = k x (1 + .044715 x²), and so u/(1+e^-u) times x/u, which has no pole.
// Source: Hendrycks and Gimpel, arXiv 1606.08415, section 2.
func geluTanh(kernel gemm.Kernel, x []float32) {
	const k, cube = 1.5957691216057308, .044715
	var u [256]float32
	for len(x) > 0 {
		n := min(len(x), len(u))
		for i, v := range x[:n] {
			slope := k * (1 + cube*v*v)
			u[i], x[i] = slope*v, 1/slope
		}
		kernel.SiLU(x[:n], u[:n])
		x = x[n:]
	}
}
