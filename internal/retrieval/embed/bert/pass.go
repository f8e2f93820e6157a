package bert

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/window"
)

// blockRows is the number of rows of attention scores and of hidden units that are
// computed at a time, so that they stay in the second-level cache.
const blockRows = 128

// partsPerThread is the number of parts of the work for each goroutine.
const partsPerThread = 4

// pass is a forward pass of a batch of windows: their tokens one after the other, without
// padding. Its buffers are reused for other batches.
type pass struct {
	*encoder
	// threads is the number of goroutines that share the work.
	threads int
	// starts are the offsets of the windows' first tokens, and the end of the last window.
	starts []int
	// x is the hidden state of each token, qkv its queries, keys and values, and attended
	// the outputs of the attention heads.
	x, qkv, attended []float32
	// mid are the hidden units of the feed-forward network of blockRows tokens.
	mid []float32
	row []byte
	// buffers has one for each goroutine that computes attention.
	buffers sync.Pool // of *headBuffer
}

// headBuffer is the memory of one attention head.
type headBuffer struct {
	keys, values gemm.Matrix
	scores       []float32
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// run computes x for the windows of the group. It ends early with the error of ctx.
func (p *pass) run(ctx context.Context, ws []window.Window, group []int) error {
	p.starts = append(p.starts[:0], 0)
	n := 0
	for _, i := range group {
		n += len(ws[i].IDs)
		p.starts = append(p.starts, n)
	}
	p.x = sized(p.x, n*p.hidden)
	p.qkv = sized(p.qkv, n*3*p.hidden)
	p.attended = sized(p.attended, n*p.hidden)
	p.row = sized(p.row, 4*p.hidden)
	for k, i := range group {
		if err := p.embed(p.x[p.starts[k]*p.hidden:], ws[i].IDs); err != nil {
			return err
		}
	}
	p.normalise(p.first, n)
	for i := range p.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.attend(&p.layers[i], n)
		p.normalise(p.layers[i].afterAttention, n)
		p.feedForward(&p.layers[i], n)
		p.normalise(p.layers[i].last, n)
	}
	return nil
}

// embed sets x to the sums of word and position embeddings.
func (p *pass) embed(x []float32, ids []int32) error {
	for position, id := range ids {
		row := x[position*p.hidden:][:p.hidden]
		if err := p.words.row(row, id, p.row); err != nil {
			return err
		}
		add := p.positions[:p.hidden]
		if len(p.positions) > p.hidden {
			add = p.positions[position*p.hidden:][:p.hidden]
		}
		for i, v := range add {
			row[i] += v
		}
	}
	return nil
}

// attend adds multi-head self-attention within each window to x.
// Source: Vaswani et al., Attention Is All You Need, arXiv 1706.03762, section 3.2.
func (p *pass) attend(l *layer, n int) {
	p.multiply(&l.qkv, p.qkv, p.x, p.hidden, n, false)
	if p.rotary.dims > 0 {
		p.split(n, p.rotate)
	}
	clear(p.attended)
	p.split(p.heads, func(from, to int) {
		w, ok := p.buffers.Get().(*headBuffer)
		if !ok {
			w = new(headBuffer)
		}
		defer p.buffers.Put(w)
		for i := range len(p.starts) - 1 {
			for k := from; k < to; k++ {
				p.head(w, k, p.starts[i], p.starts[i+1])
			}
		}
	})
	p.multiply(&l.out, p.x, p.attended, p.hidden, n, true)
}

// head computes head k for the tokens from to to, which are one window.
func (p *pass) head(w *headBuffer, k, from, to int) {
	h, n, size := p.hidden, to-from, p.hidden/p.heads
	stride := 3 * h
	queries := p.qkv[from*stride+k*size:]
	w.keys.PackTransposed(p.kernel, queries[h:], size, n, stride)
	w.values.Pack(p.kernel, queries[2*h:], n, size, stride)
	// Kernels are fastest with rows of a multiple of 8 numbers.
	wide := (n + 7) &^ 7
	w.scores = sized(w.scores, min(n, blockRows)*wide)
	scale := float32(1 / math.Sqrt(float64(size)))
	for top := 0; top < n; top += blockRows {
		rows := min(blockRows, n-top)
		scores := w.scores[:rows*wide]
		clear(scores)
		w.keys.AddProduct(scores, wide, queries[top*stride:], stride, rows)
		for r := range rows {
			p.kernel.Softmax(scores[r*wide:][:wide], n, scale)
		}
		w.values.AddProduct(p.attended[(from+top)*h+k*size:], h, scores, wide, rows)
	}
}

// rotate applies rotary position embeddings to the queries and keys of tokens from to to.
func (p *pass) rotate(from, to int) {
	pairs, size := p.rotary.dims/2, p.hidden/p.heads
	in := 0 // the window
	for t := from; t < to; t++ {
		for t >= p.starts[in+1] {
			in++
		}
		position := t - p.starts[in]
		cos, sin := p.cos[position*pairs:][:pairs], p.sin[position*pairs:][:pairs]
		both := p.qkv[t*3*p.hidden:][:2*p.hidden]
		for ; len(both) > 0; both = both[size:] {
			low, high := both[:pairs], both[pairs:2*pairs]
			for i, a := range low {
				b := high[i]
				low[i] = a*cos[i] - b*sin[i]
				high[i] = b*cos[i] + a*sin[i]
			}
		}
	}
}

// feedForward adds the output of the feed-forward network to x, a block of tokens at a
// time.
func (p *pass) feedForward(l *layer, n int) {
	_, wide := l.up.w.Dims()
	p.mid = sized(p.mid, min(n, blockRows)*wide)
	for top := 0; top < n; top += blockRows {
		rows := min(blockRows, n-top)
		x := p.x[top*p.hidden:]
		p.multiply(&l.up, p.mid, x, p.hidden, rows, false)
		p.split(rows, func(from, to int) {
			for r := from; r < to; r++ {
				mid := p.mid[r*wide:][:wide]
				if p.family == nomic {
					p.kernel.SiLU(mid[:p.inner], mid[p.inner:])
				} else {
					p.kernel.GELU(mid)
				}
			}
		})
		p.multiply(&l.down, x, p.mid, wide, rows, true)
	}
}

// multiply sets to to the output of a linear layer for n rows of from, stride apart, or
// adds it.
func (p *pass) multiply(l *linear, to, from []float32, stride, n int, add bool) {
	_, out := l.w.Dims()
	width := l.w.Width()
	p.split((out+width-1)/width, func(first, last int) {
		lo, hi := first*width, min(last*width, out)
		for r := range n {
			row := to[r*out:][lo:hi]
			switch {
			case add && l.bias != nil:
				for i, b := range l.bias[lo:hi] {
					row[i] += b
				}
			case !add && l.bias != nil:
				copy(row, l.bias[lo:hi])
			case !add:
				clear(row)
			}
		}
		l.w.AddColumns(to, out, from, stride, n, lo, hi)
	})
}

// normalise applies layer normalisation to the n tokens of x.
func (p *pass) normalise(by norm, n int) {
	p.split(n, func(from, to int) {
		for t := from; t < to; t++ {
			p.kernel.LayerNorm(p.x[t*p.hidden:][:p.hidden], by.gamma, by.beta, p.epsilon)
		}
	})
}

// split calls f for parts of 0 to n, in goroutines if the pass has several threads, and
// waits for them. There are more parts than goroutines, so that a late one delays nobody.
func (p *pass) split(n int, f func(from, to int)) {
	parts := min(partsPerThread*p.threads, n)
	if p.threads <= 1 || parts <= 1 {
		f(0, n)
		return
	}
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)); i <= parts; i = int(next.Add(1)) {
			f((i-1)*n/parts, i*n/parts)
		}
	}
	var wait sync.WaitGroup
	for range p.threads - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
}
