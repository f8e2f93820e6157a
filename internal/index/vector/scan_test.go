package vector

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// filled returns a table of random rows, the first of them in one piece.
func filled(r *rand.Rand, dim, first, rows int) *Table {
	t := NewSized(dim, first)
	for range rows {
		t.Append(random(r, dim))
	}
	return t
}

func random(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// one returns the cosines of a table and a query by the portable kernel, row by row.
func one(t *Table, q *Code) []float32 {
	out := make([]float32, t.n)
	for i := range out {
		row := t.At(uint32(i))
		var n [1]int32
		portable(n[:], row.Hi, q.Hi)
		out[i] = weigh(n[0], row.Scale, q.Scale)
	}
	return out
}

// Queries that share the reading of rows get what each of them gets alone, bit by bit, whatever tables the
// others are for: other ones, copies, and copies that had fewer rows.
func TestScanAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	var tables []*Table
	for _, c := range []struct{ dim, first, rows int }{{96, 0, 0}, {96, 0, 700}, {96, 300, 300}, {40, 1000, 2500}, {40, 10, 1100}} {
		x := filled(r, c.dim, c.first, c.rows)
		before := *x
		for range 5 {
			x.Append(random(r, c.dim))
		}
		after := *x
		tables = append(tables, x, &before, &after)
	}
	for range 20 {
		var list []Query
		for range r.IntN(9) {
			x := tables[r.IntN(len(tables))]
			q := Quantize(random(r, x.dim))
			list = append(list, Query{Table: x, Code: &q, Cosines: x.Room(nil)})
		}
		ScanAll(list)
		for i, q := range list {
			if !slices.Equal(q.Cosines, one(q.Table, q.Code)) {
				t.Fatalf("query %d of %d: other cosines than alone", i, len(list))
			}
		}
	}
}

// BenchmarkScanAll scans 100,000 rows for several queries, per query.
func BenchmarkScanAll(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x := NewSized(384, 100_000)
	row := Quantize(random(r, 384))
	for range 100_000 {
		x.AppendCode(row)
	}
	for _, n := range []int{1, 2, 4, 8} {
		list := make([]Query, n)
		for i := range list {
			list[i] = Query{Table: x, Code: &row, Cosines: x.Room(nil)}
		}
		b.Run(map[int]string{1: "1", 2: "2", 4: "4", 8: "8"}[n], func(b *testing.B) {
			for i := 0; i < b.N; i += n {
				ScanAll(list)
			}
		})
	}
}
