package bert

import (
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/window"
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
		window.Unit(v)
		if gemm.NotFinite(v) >= 0 {
			return fmt.Errorf("%w: the weights of the model are too large: a vector is not finite", hippo.ErrCorrupt)
		}
		out[i] = v
	}
	return nil
}
