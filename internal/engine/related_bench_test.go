package engine_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// noPieces makes a search look closely at no cost of its own.
type noPieces struct{}

func (noPieces) Vocabulary() string                     { return "none" }
func (noPieces) Tokenize(dst []int32, _ string) []int32 { return append(dst, 0) }
func (noPieces) Weight(int32) float64                   { return 1 }
func (p noPieces) NewMaxSim([]int32) embed.MaxSim       { return p }
func (noPieces) Update([]float32, []int32)              {}
func (noPieces) Close()                                 {}

// BenchmarkSearch_Related measures a warm search in 10,000 memories of a SQLite file
// without relations, and with ten of each memory.
func BenchmarkSearch_Related(b *testing.B) {
	text := zipfText()
	back, err := sqlitestore.Open(b.Context(), filepath.Join(b.TempDir(), "memory.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	s := store.New(back, nil)
	x, err := index.Open(b.Context(), s, &index.Options{Pieces: noPieces{}})
	if err != nil {
		b.Fatal(err)
	}
	e := engine.New(engine.Config{Store: s, Index: x, Pieces: noPieces{}})
	b.Cleanup(func() { _ = e.Close() })
	var ids []hippo.ID
	const n = 10_000
	entries := func(yield func(*hippo.Memory, error) bool) {
		for i := range n {
			m := &hippo.Memory{ID: hippo.ID{1, byte(i >> 8), byte(i)}, Content: text(38), Importance: hippo.Importance{Base: .5, Value: .5}}
			ids = append(ids, m.ID)
			if !yield(m, nil) {
				return
			}
		}
	}
	if _, err := e.Import(b.Context(), hippo.Calendar{}, entries, nil); err != nil {
		b.Fatal(err)
	}
	for _, each := range []int{0, 10} {
		random := rand.New(rand.NewPCG(1, 2))
		var rs []hippo.Relation
		for i := range n * each / 2 {
			if j := random.IntN(n); ids[j] != ids[i%n] {
				r := hippo.CoRecall(ids[i%n], ids[j])
				r.Weight = random.Float64()
				rs = append(rs, r)
			}
		}
		if _, err := e.ImportRelations(b.Context(), rs); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d", each), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Search(b.Context(), hippo.Query{Text: text(5), NoTouch: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
