package causal

import (
	"context"
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// nll returns the mean negative log likelihood of the tokens that follow each row of y but the last. The vocabulary is read
// from the file part by part: the probabilities of all tokens are never in memory together.
func (p *pass) nll(ctx context.Context, targets []int32) (float64, error) {
	n, h := len(targets), p.hidden
	rows, buf := make([]float32, headRows*h), make([]byte, 4*headRows*h)
	logits := make([]float32, n*headRows)
	of, all := make([]float64, n), make([]float64, n) // the logit of the target, and the logarithm of the sum of e^logit
	for i := range all {
		all[i] = math.Inf(-1)
	}
	var head gemm.Matrix
	for from := 0; from < p.vocab; from += headRows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		k := min(headRows, p.vocab-from)
		if err := p.file.Rows(rows[:k*h], p.head, from, buf); err != nil {
			return 0, err
		}
		head.PackTransposed(p.kernel, rows, h, k, h)
		clear(logits[:n*k])
		head.AddProduct(logits, k, p.y, h, n)
		for i, target := range targets {
			row := logits[i*k:][:k]
			if at := int(target) - from; at >= 0 && at < k {
				of[i] = float64(row[at])
			}
			all[i] = logAdd(all[i], logSum(p.kernel, row))
		}
	}
	sum := 0.0
	for i := range targets {
		sum += all[i] - of[i]
	}
	return sum / float64(n), nil
}

// logSum returns the logarithm of the sum of e^x, and overwrites x.
func logSum(kernel gemm.Kernel, x []float32) float64 {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	largest := float64(x[best])
	kernel.Softmax(x, len(x), 1)
	return largest - math.Log(float64(x[best]))
}

// logAdd returns the logarithm of e^a + e^b.
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
