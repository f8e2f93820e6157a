package vector

import "golang.org/x/sys/cpu"

// dots computes the inner product of each row and q; len(q) is the length of a
// row and a multiple of Lane.
func dots(dst []int32, rows, q []int8) {
	if len(dst) == 0 || len(q) == 0 {
		clear(dst)
		return
	}
	_ = rows[len(dst)*len(q)-1]
	switch {
	case hasVNNI():
		dotsVNNI(&dst[0], &rows[0], &q[0], len(dst), len(q))
	case cpu.X86.HasAVX2:
		dotsAVX2(&dst[0], &rows[0], &q[0], len(dst), len(q))
	default:
		portable(dst, rows, q)
	}
}

// dotsFour computes the inner products of each row and four queries, which lie one after the other in q; dst gets those
// of the first query, then those of the next.
func dotsFour(dst []int32, rows, q []int8) {
	n, count := len(q)/four, len(dst)/four
	if count == 0 || count%four != 0 || n == 0 || n%(2*Lane) != 0 || !hasVNNI() || !cpu.X86.HasAVX512F {
		dotsEach(dst, rows, q)
		return
	}
	_ = rows[count*n-1]
	dotsFourVNNI(&dst[0], &rows[0], &q[0], count, n)
}

func hasVNNI() bool { return cpu.X86.HasAVX2 && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VNNI }

// dotsAVX2 handles count rows of n bytes each, n a positive multiple of 32, count
// positive. Sums do not overflow below n = 65,536.
//
//go:noescape
func dotsAVX2(dst *int32, rows, q *int8, count, n int)

// dotsVNNI is dotsAVX2 in half of the time. Its instruction multiplies bytes without a
// sign by bytes with one: it takes 128 more of the rows, and takes 128 times q off, once.
//
//go:noescape
func dotsVNNI(dst *int32, rows, q *int8, count, n int)

func addRows(dst []float32, rows []int8, list []int32, weights []float32) {
	n := len(dst) / Lane * Lane
	if n == 0 || len(list) == 0 || !cpu.X86.HasAVX2 {
		addPortable(dst, rows, list, weights, 0)
		return
	}
	_ = weights[len(list)-1]
	for _, i := range list {
		_ = rows[int(i)*len(dst) : (int(i)+1)*len(dst)]
	}
	addRowsAVX2(&dst[0], &rows[0], &list[0], &weights[0], len(list), len(dst), n)
	addPortable(dst, rows, list, weights, n)
}

// addRowsAVX2 handles the first n components, a positive multiple of 32, of count rows, at least
// one, that are length bytes long.
//
//go:noescape
func addRowsAVX2(dst *float32, rows *int8, list *int32, weights *float32, count, length, n int)

// dotsFourVNNI handles count rows of n bytes each and four queries, count a positive multiple of 4 and n of 64. It
// reads a row once for all queries, and takes a third of the instructions of dotsVNNI.
//
//go:noescape
func dotsFourVNNI(dst *int32, rows, q *int8, count, n int)
