package vector

import "golang.org/x/sys/cpu"

// dots computes the inner product of each row and q; len(q) is the length of a
// row and a multiple of Lane.
func dots(dst []int32, rows, q []int8) {
	if !cpu.X86.HasAVX2 {
		portable(dst, rows, q)
		return
	}
	if len(dst) == 0 || len(q) == 0 {
		clear(dst)
		return
	}
	_ = rows[len(dst)*len(q)-1]
	dotsAVX2(&dst[0], &rows[0], &q[0], len(dst), len(q))
}

// dotsAVX2 handles count rows of n bytes each, n a positive multiple of 32, count
// positive. Sums do not overflow below n = 65,536.
//
//go:noescape
func dotsAVX2(dst *int32, rows, q *int8, count, n int)
