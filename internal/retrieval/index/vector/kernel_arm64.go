package vector

// dots computes the inner product of each row and q; len(q) is the length of a
// row and a multiple of Lane.
func dots(dst []int32, rows, q []int8) {
	if len(dst) == 0 || len(q) == 0 {
		clear(dst)
		return
	}
	_ = rows[len(dst)*len(q)-1]
	dotsNEON(&dst[0], &rows[0], &q[0], len(dst), len(q))
}

// dotsNEON handles count rows of n bytes each, n a positive multiple of 32, count
// positive. Every arm64 processor has what it needs.
//
//go:noescape
func dotsNEON(dst *int32, rows, q *int8, count, n int)

func dotsFour(dst []int32, rows, q []int8) { dotsEach(dst, rows, q) }

func addRows(dst []float32, rows []int8, list []int32, weights []float32) {
	addPortable(dst, rows, list, weights, 0)
}
