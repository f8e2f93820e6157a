package bert

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo/internal/embed/gemm"
)

// blockRows is how many rows of scores and of inner numbers exist at a time, so
// that they stay in the second-level cache.
const blockRows = 128

// partsPerThread is into how many parts work is split for each goroutine.
const partsPerThread = 4

// pass is a batch of windows on its way through the encoder: their tokens one
// after the other, without padding. Its buffers are used again for other batches.
type pass struct {
	*encoder
	// threads is how many goroutines share the work.
	threads int
	// starts are the places of the windows' first tokens, and the end of the last.
	starts []int
	// x has hidden numbers for each token, qkv three times as many,
	// drawn what the attention heads give.
	x, qkv, drawn []float32
	// mid are the inner numbers of blockRows tokens.
	mid []float32
	row []byte
	// work has a head for each goroutine that attends.
	work sync.Pool
}

// head is what one attention head needs.
type head struct {
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
func (p *pass) run(ctx context.Context, ws []window, group []int) error {
	p.starts = append(p.starts[:0], 0)
	n := 0
	for _, i := range group {
		n += len(ws[i].ids)
		p.starts = append(p.starts, n)
	}
	p.x = sized(p.x, n*p.hidden)
	p.qkv = sized(p.qkv, n*3*p.hidden)
	p.drawn = sized(p.drawn, n*p.hidden)
	p.row = sized(p.row, 4*p.hidden)
	for k, i := range group {
		if err := p.embed(p.x[p.starts[k]*p.hidden:], ws[i].ids); err != nil {
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
		p.feed(&p.layers[i], n)
		p.normalise(p.layers[i].last, n)
	}
	return nil
}

// embed makes x the sums of the vectors of the words and of their places.
func (p *pass) embed(x []float32, ids []int32) error {
	for place, id := range ids {
		row := x[place*p.hidden:][:p.hidden]
		if err := p.words.row(row, id, p.row); err != nil {
			return err
		}
		add := p.positions[:p.hidden]
		if len(p.positions) > p.hidden {
			add = p.positions[place*p.hidden:][:p.hidden]
		}
		for i, v := range add {
			row[i] += v
		}
	}
	return nil
}

// attend adds to x what each token draws from those of its window.
// Source: Vaswani et al., Attention Is All You Need, arXiv 1706.03762, section 3.2.
func (p *pass) attend(l *layer, n int) {
	p.multiply(&l.qkv, p.qkv, p.x, p.hidden, n, false)
	if p.rotaryDims > 0 {
		p.split(n, p.rotate)
	}
	clear(p.drawn)
	p.split(p.heads, func(from, to int) {
		w, ok := p.work.Get().(*head)
		if !ok {
			w = new(head)
		}
		defer p.work.Put(w)
		for i := range len(p.starts) - 1 {
			for k := from; k < to; k++ {
				p.head(w, k, p.starts[i], p.starts[i+1])
			}
		}
	})
	p.multiply(&l.out, p.x, p.drawn, p.hidden, n, true)
}

// head computes one head for the tokens from to to, which are one window.
func (p *pass) head(w *head, k, from, to int) {
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
		w.values.AddProduct(p.drawn[(from+top)*h+k*size:], h, scores, wide, rows)
	}
}

// rotate turns the queries and keys of the tokens from to to by their places.
func (p *pass) rotate(from, to int) {
	pairs, size := p.rotaryDims/2, p.hidden/p.heads
	window := 0
	for t := from; t < to; t++ {
		for t >= p.starts[window+1] {
			window++
		}
		place := t - p.starts[window]
		cos, sin := p.cos[place*pairs:][:pairs], p.sin[place*pairs:][:pairs]
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

// feed adds to x the result of the inner layer, a block of tokens at a time.
func (p *pass) feed(l *layer, n int) {
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

// multiply makes to the product of n rows of from, stride apart, with the layer,
// or adds it.
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

// normalise normalises the n tokens of x.
func (p *pass) normalise(by norm, n int) {
	p.split(n, func(from, to int) {
		for t := from; t < to; t++ {
			p.kernel.LayerNorm(p.x[t*p.hidden:][:p.hidden], by.gamma, by.beta, p.epsilon)
		}
	})
}

// split calls f for parts of 0 to n, in goroutines of their own if the pass has
// several threads, and waits for them. There are more parts than goroutines, so
// that one that starts late holds up nobody.
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
