package drivertest

import (
	"context"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// benchSize is how many memories a store holds while it is measured.
const benchSize = 10_000

// Bench measures what the engine does most, on a store of 10,000 memories.
func Bench(b *testing.B, h Harness) {
	for _, c := range []struct {
		name string
		run  func(b *testing.B, s driver.Backend)
	}{
		{"put_durable", benchPut},
		{"put_100_concurrent", benchPutConcurrent},
		{"get_10", benchGet},
		{"touch_10_lazy", benchTouch},
		{"head", benchHead},
		{"changes_10k", benchChanges},
		{"changes_none", benchChangesNone},
		{"relations_8x8", benchRelations},
		{"put_vectors_10k", benchPutVectors},
		{"put_vector", benchPutVector},
		{"vectors_10k", benchVectors},
		{"vector_models", benchVectorModels},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := h.fresh(b)
			put(b, s, plains(0, benchSize)...)
			b.ReportAllocs()
			c.run(b, s)
		})
	}
}

// putOne is the write of the benchmarks: one new memory.
func putOne(ctx context.Context, s driver.Backend, n int) error {
	m := plain(n)
	return s.Write(ctx, driver.Durable, func(tx driver.Tx) error { return tx.Put(m) })
}

func benchPut(b *testing.B, s driver.Backend) {
	n := benchSize
	for b.Loop() {
		n++
		if err := putOne(b.Context(), s, n); err != nil {
			b.Fatal(err)
		}
	}
}

// benchPutConcurrent counts 100 writes by 100 goroutines as one operation.
func benchPutConcurrent(b *testing.B, s driver.Backend) {
	n := benchSize
	for b.Loop() {
		together(b, 100, func(i int) error { return putOne(b.Context(), s, n+i) })
		n += 100
	}
}

// some returns ten IDs, others each time.
func some(n int) []hippo.ID {
	ids := make([]hippo.ID, 10)
	for i := range ids {
		ids[i] = id((n*7919 + i*911) % benchSize)
	}
	return ids
}

func benchGet(b *testing.B, s driver.Backend) {
	n := 0
	for b.Loop() {
		n++
		ms, err := s.Get(b.Context(), some(n))
		if err != nil || len(ms) != 10 {
			b.Fatalf("get: %d memories, %v", len(ms), err)
		}
	}
}

func benchTouch(b *testing.B, s driver.Backend) {
	n := 0
	for b.Loop() {
		n++
		touch(b, s, 2, some(n)...)
	}
}

func benchHead(b *testing.B, s driver.Backend) {
	for b.Loop() {
		head(b, s)
	}
}

func benchChanges(b *testing.B, s driver.Backend) {
	for b.Loop() {
		n := 0
		for _, err := range s.Changes(b.Context(), 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != benchSize {
			b.Fatalf("%d changes, want %d", n, benchSize)
		}
	}
}

// benchChangesNone is what a search costs when nothing is new.
func benchChangesNone(b *testing.B, s driver.Backend) {
	last := head(b, s).Revision
	for b.Loop() {
		for c, err := range s.Changes(b.Context(), last) {
			b.Fatalf("there is a change: %v, %v", c, err)
		}
	}
}

// benchRelations is what a search costs in a store of five relations a memory.
func benchRelations(b *testing.B, s driver.Backend) {
	var rs []hippo.Relation
	for i := range 5 * benchSize {
		if x, y := i%benchSize, i*7919%benchSize; x != y {
			rs = append(rs, relation(x, y, hippo.CoRecalled, float64(1+i%100)/100))
		}
	}
	relate(b, s, rs...)
	n := 0
	for b.Loop() {
		n++
		if rs := relations(b, s, at(0), 8, some(n)[:8]...); len(rs) == 0 {
			b.Fatal("no relations")
		}
	}
}

// benchDimension is that of small models, the common ones.
const benchDimension = 384

// benchPutVectors is what a new model costs.
func benchPutVectors(b *testing.B, s driver.Backend) {
	vs := vectors(0, benchSize, benchDimension, 0)
	for b.Loop() {
		putVectors(b, s, "model", vs...)
	}
}

// benchPutVector is what a new memory costs.
func benchPutVector(b *testing.B, s driver.Backend) {
	vs := vectors(0, 1000, benchDimension, 0)
	n := 0
	for b.Loop() {
		n++
		putVectors(b, s, "model", vs[n%len(vs)])
	}
}

// benchVectors is what rebuilding an index costs.
func benchVectors(b *testing.B, s driver.Backend) {
	putVectors(b, s, "model", vectors(0, benchSize, benchDimension, 0)...)
	ids := idRange(benchSize)
	for b.Loop() {
		if vs := findVectors(b, s, "model", ids...); len(vs) != benchSize {
			b.Fatalf("%d vectors, want %d", len(vs), benchSize)
		}
	}
}

func benchVectorModels(b *testing.B, s driver.Backend) {
	putVectors(b, s, "model", vectors(0, benchSize, benchDimension, 0)...)
	for b.Loop() {
		models(b, s)
	}
}
