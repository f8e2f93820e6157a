package engine_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// generatedGraph opens a SQLite store with a generated graph: memories in groups of a hundred, of whose relations nine of ten stay in the
// group.
func generatedGraph(b *testing.B, memories, relations int) *fixture {
	b.Helper()
	backend, err := sqlitestore.Open(b.Context(), filepath.Join(b.TempDir(), "memory.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	f := open(b, options{backend: backend})
	ms := make([]*hippo.Memory, memories)
	for i := range ms {
		ms[i] = graphMemory(i)
	}
	f.put(ms...)
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]hippo.Relation, 0, 1000)
	for i := range relations {
		from := random.IntN(memories)
		to := from/100*100 + random.IntN(100)
		if i%10 == 0 {
			to = random.IntN(memories)
		}
		if from != to {
			list = append(list, hippo.Relation{From: graphMemory(from).ID, To: graphMemory(to).ID, Kind: "calls", Weight: 1})
		}
		if len(list) == cap(list) || i == relations-1 {
			if _, err := transfer.New(f.Memories).ImportRelations(b.Context(), list); err != nil {
				b.Fatal(err)
			}
			list = list[:0]
		}
	}
	f.search(hippo.Query{Text: "service", NoTouch: true}) // the index is there
	return f
}

func graphMemory(i int) *hippo.Memory {
	return &hippo.Memory{
		ID: hippo.ID{0: 1, 12: byte(i >> 24), 13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)}, Content: fmt.Sprintf("service %d of group %d", i, i/100),
		Trust: hippo.TrustNormal, CreatedAt: time.Date(2026, 2, 1, 0, 0, 0, i*1000, time.UTC), Importance: hippo.Importance{Base: .5, Value: .5},
		Source: hippo.Source{Kind: hippo.SourceAgent},
	}
}

// BenchmarkGraph reads a graph of 100,000 memories with 300,000 relations. Searches are there to see what a store with entities
// costs.
func BenchmarkGraph(b *testing.B) {
	memories, relations := 100_000, 300_000
	if testing.Short() {
		memories, relations = 2_000, 6_000
	}
	f := generatedGraph(b, memories, relations)
	for depth := 1; depth <= 3; depth++ {
		b.Run(fmt.Sprintf("neighbours depth %d", depth), func(b *testing.B) {
			i, nodes := 0, 0
			for b.Loop() {
				g, err := knowledge.Neighbours(b.Context(), f.Memories, api.Neighbours{ID: graphMemory(i * 37 % memories).ID, Depth: depth})
				if err != nil {
					b.Fatal(err)
				}
				i, nodes = i+1, nodes+len(g.Nodes)
			}
			b.ReportMetric(float64(nodes)/float64(i), "nodes/op")
		})
	}
	b.Run("communities", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			changed := []hippo.Relation{{From: graphMemory(i).ID, To: graphMemory(memories - 1 - i).ID, Kind: "uses", Weight: 1}}
			if _, err := transfer.New(f.Memories).ImportRelations(b.Context(), changed); err != nil {
				b.Fatal(err)
			}
			if _, err := knowledge.Communities(b.Context(), f.Memories, api.Communities{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("communities again", func(b *testing.B) {
		for b.Loop() {
			if _, err := knowledge.Communities(b.Context(), f.Memories, api.Communities{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	search := func(b *testing.B) {
		b.Helper()
		for b.Loop() {
			f.search(hippo.Query{Text: "service 77", NoTouch: true})
		}
	}
	b.Run("search without entities", search)
	f.addEntity(b)
	b.Run("search beside an entity", search)
	b.Run("find an entity", func(b *testing.B) {
		for b.Loop() {
			if _, err := knowledge.FindEntity(b.Context(), f.Memories, "gateway"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func (f *fixture) addEntity(b *testing.B) {
	b.Helper()
	if _, err := knowledge.AddEntity(b.Context(), f.Memories, knowledge.EntityDraft{Entity: hippo.Entity{Name: "The gateway", Aliases: []string{"gateway"}}}); err != nil {
		b.Fatal(err)
	}
}
