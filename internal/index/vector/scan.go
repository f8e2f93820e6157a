package vector

import "unsafe"

// blockRows is how many rows are scanned at a time: they stay in the cache for all queries. It divides
// [chunkRows].
const blockRows = 256

// Query is a vector to compare with all rows of a table.
type Query struct {
	Table *Table
	Code  *Code
	// Cosines are set by [ScanAll], those of the rows of Table, in their order.
	Cosines []float32
}

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
	ScanAll([]Query{{Table: t, Code: q, Cosines: dst}})
	return dst
}

// ScanAll is [Table.Scan] for some queries. Those of the same rows read them from memory once: to compare rows
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
			if !done[k] && list[k].Table.same(list[i].Table) {
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

// scan carries out queries of the same rows.
func scan(group []*Query) {
	t := group[0].Table
	for from := 0; from < t.n; {
		to := min(from+blockRows, t.n)
		if from < t.first {
			to = min(to, t.first)
		}
		for _, q := range group {
			t.scanBlock(q.Cosines[from:to], from, q.Code)
		}
		from = to
	}
}

// scanBlock sets the cosines of the rows from from on, which lie in one piece.
func (t *Table) scanBlock(dst []float32, from int, q *Code) {
	var products [blockRows]int32
	p := products[:len(dst)]
	if from < t.first {
		dots(p, t.hi[from*t.stride:], q.Hi)
		for i, n := range p {
			dst[i] = weigh(n, t.scale(from+i), q.Scale)
		}
		return
	}
	k := t.chunks[(from-t.first)/chunkRows]
	from = (from - t.first) % chunkRows
	dots(p, k.hi[from*t.stride:], q.Hi)
	for i, n := range p {
		dst[i] = weigh(n, k.scales[from+i], q.Scale)
	}
}

// weigh turns a product of upper halves into a cosine.
func weigh(n int32, a, b float32) float32 {
	return float32(float32(n)*65536*a) * b
}
