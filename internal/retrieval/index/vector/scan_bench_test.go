package vector_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

func BenchmarkScan(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1000, 10_000, 100_000} {
		base := clustered(r, 1000, 384)
		table := tableOf(base)
		rows := make([]uint32, n)
		for i := range rows {
			rows[i] = uint32(i % 1000)
		}
		table = pick(table, rows)
		q := vector.Quantize(base[0])
		var dst []float32
		b.Run(map[int]string{1000: "1k", 10_000: "10k", 100_000: "100k"}[n], func(b *testing.B) {
			for b.Loop() {
				dst = table.Scan(dst, &q)
			}
		})
	}
}
