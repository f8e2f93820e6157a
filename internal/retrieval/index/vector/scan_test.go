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

// Queries that share the reading of rows get what each of them gets alone, bit by bit, whatever tables and rows the
// others are for: other ones, copies, and copies that had fewer rows. The cosines of other rows stay.
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
			list = append(list, Query{Table: x, Code: &q, Runs: someRuns(r, x), Cosines: slices.Repeat([]float32{2}, x.n)})
		}
		ScanAll(list)
		for i, q := range list {
			want := slices.Repeat([]float32{2}, q.Table.n)
			for _, run := range q.Runs {
				copy(want[run.From:run.To], one(q.Table, q.Code)[run.From:])
			}
			if !slices.Equal(q.Cosines, want) {
				t.Fatalf("query %d of %d: other cosines than alone, or of other rows", i, len(list))
			}
		}
	}
}

// someRuns returns all rows of a table, or some of them: runs of any length, also within and across the pieces of the table.
func someRuns(r *rand.Rand, t *Table) []Run {
	if r.IntN(3) == 0 {
		return AllRows(t)
	}
	longest := 1 + r.IntN(1<<r.IntN(11))
	out := []Run{}
	for from := r.IntN(longest); from < t.n; {
		to := min(t.n, from+1+r.IntN(longest))
		out = append(out, Run{from, to})
		from = to + r.IntN(longest)
	}
	return out
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
			list[i] = Query{Table: x, Code: &row, Runs: AllRows(x), Cosines: x.Room(nil)}
		}
		b.Run(map[int]string{1: "1", 2: "2", 4: "4", 8: "8"}[n], func(b *testing.B) {
			for i := 0; i < b.N; i += n {
				ScanAll(list)
			}
		})
	}
}
