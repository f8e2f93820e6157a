package vector

import (
	"slices"
	"unsafe"
)

// blockRows is how many rows are scanned at a time: they stay in the cache for all queries.
const blockRows = 128

// Query is a vector to compare with all rows of a table.
type Query struct {
	Table *Table
	Code  *Code
	// Runs are the rows to compare with, in their order.
	Runs []Run
	// Cosines are set by [ScanAll], by row of Table: of other rows they stay as they are.
	Cosines []float32
}

// Run are the rows from one, inclusive, to another, exclusive.
type Run struct{ From, To int }

// AllRows returns the run of all rows of a table.
func AllRows(t *Table) []Run { return []Run{{0, t.n}} }

// Room returns a slice for the cosines of all rows, dst if it has the room.
func (t *Table) Room(dst []float32) []float32 {
	if cap(dst) < t.n {
		dst = make([]float32, t.n)
	}
	return dst[:t.n]
}

// Scan sets the cosine of each row and a vector of the dimension of the table, right to about .01, in dst if
// that has the room. Cost: 384 bytes of memory a row.
func (t *Table) Scan(dst []float32, q *Code) []float32 {
	dst = t.Room(dst)
	ScanAll([]Query{{Table: t, Code: q, Runs: AllRows(t), Cosines: dst}})
	return dst
}

// ScanAll is [Table.Scan] for some queries, each with its runs. Those of the same rows read them from memory once: to compare rows
// in the cache with one more query takes a fifth of that.
func ScanAll(list []Query) {
	done := make([]bool, len(list))
	group := make([]*Query, 0, len(list))
	for i := range list {
		if done[i] {
			continue
		}
		group = append(group[:0], &list[i])
		for k := i + 1; k < len(list); k++ {
			if !done[k] && list[k].Table.same(list[i].Table) && slices.Equal(list[k].Runs, list[i].Runs) {
				group, done[k] = append(group, &list[k]), true
			}
		}
		scan(group)
	}
}

// same reports whether two tables have the same rows, because one is a copy of the other.
func (t *Table) same(o *Table) bool {
	if t.stride != o.stride || t.n != o.n || t.first != o.first || unsafe.SliceData(t.hi) != unsafe.SliceData(o.hi) {
		return false
	}
	return t.n <= t.first || t.chunks[0] == o.chunks[0]
}

// scan carries out queries of the same rows, four at a time as far as possible.
func scan(group []*Query) {
	t := group[0].Table
	fours := make([][]int8, len(group)/four)
	for i := range fours {
		for _, q := range group[four*i:][:four] {
			fours[i] = append(fours[i], q.Code.Hi...)
		}
	}
	for _, run := range group[0].Runs {
		for from := run.From; from < run.To; {
			to := min(from+blockRows, pieceEnd(t, from), run.To)
			for i, codes := range fours {
				t.scanFour(group[four*i:][:four], codes, from, to)
			}
			for _, q := range group[four*len(fours):] {
				t.scanBlock(q.Cosines[from:to], from, q.Code)
			}
			from = to
		}
	}
}

// pieceEnd returns where the rows end that lie in one piece with a row.
func pieceEnd(t *Table, row int) int {
	if row < t.first {
		return t.first
	}
	return t.first + ((row-t.first)/chunkRows+1)*chunkRows
}

// scanFour sets the cosines of four queries, whose codes lie one after the other, with the rows from from to to, which
// lie in one piece.
func (t *Table) scanFour(group []*Query, codes []int8, from, to int) {
	var products [four * blockRows]int32
	n := to - from
	dotsFour(products[:four*n], t.plane(from), codes)
	for k, q := range group {
		t.weigh(q.Cosines[from:to], products[k*n:][:n], from, q.Code.Scale)
	}
}

// scanBlock sets the cosines of the rows from from on, which lie in one piece.
func (t *Table) scanBlock(dst []float32, from int, q *Code) {
	var products [blockRows]int32
	p := products[:len(dst)]
	dots(p, t.plane(from), q.Hi)
	t.weigh(dst, p, from, q.Scale)
}

// plane returns the upper halves of the rows from from on.
func (t *Table) plane(from int) []int8 {
	if from < t.first {
		return t.hi[from*t.stride:]
	}
	from -= t.first
	return t.chunks[from/chunkRows].hi[from%chunkRows*t.stride:]
}

// weigh turns products of upper halves into cosines with the rows from from on, which lie in one piece.
func (t *Table) weigh(dst []float32, products []int32, from int, scale float32) {
	if from < t.first {
		for i, n := range products {
			dst[i] = weigh(n, t.scale(from+i), scale)
		}
		return
	}
	from -= t.first
	scales := t.chunks[from/chunkRows].scales[from%chunkRows:]
	for i, n := range products {
		dst[i] = weigh(n, scales[i], scale)
	}
}

// weigh turns a product of upper halves into a cosine.
func weigh(n int32, a, b float32) float32 {
	return float32(float32(n)*65536*a) * b
}
