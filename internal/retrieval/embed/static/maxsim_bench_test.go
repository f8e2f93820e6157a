package static_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/models"
)

// BenchmarkUpdate compares a query with as many texts as a search re-ranks, of tokens as
// frequent as words are.
func BenchmarkUpdate(b *testing.B) {
	m, err := static.Open(models.Builtin())
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.07, 4, 20_000)
	for _, n := range []int{8, 24} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			query, texts := make([]int32, n), make([][]int32, 192)
			for i := range query {
				query[i] = int32(z.Uint64())
			}
			for i := range texts {
				texts[i] = make([]int32, 50)
				for k := range texts[i] {
					texts[i][k] = int32(z.Uint64())
				}
			}
			best := make([]float32, n)
			b.ReportAllocs()
			for b.Loop() {
				x := m.NewMaxSim(query)
				for _, text := range texts {
					clear(best)
					x.Update(best, text)
				}
				x.Close()
			}
		})
	}
}
