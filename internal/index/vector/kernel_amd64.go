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

func hasVNNI() bool { return cpu.X86.HasAVX2 && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VNNI }

// dotsAVX2 handles count rows of n bytes each, n a positive multiple of 32, count
// positive. Sums do not overflow below n = 65,536.
//
//go:noescape
func dotsAVX2(dst *int32, rows, q *int8, count, n int)

// dotsVNNI is dotsAVX2 in half of the time. Its instruction multiplies bytes without a
// sign by bytes with one: it takes 128 more of q, and takes the row times 128 off.
//
//go:noescape
func dotsVNNI(dst *int32, rows, q *int8, count, n int)

// addScaled adds w times each component of row to dst, which is not longer.
func addScaled(dst []float32, row []int8, w float32) {
	n := len(dst) / Lane * Lane
	if n == 0 || !cpu.X86.HasAVX2 {
		addPortable(dst, row, w)
		return
	}
	_ = row[len(dst)-1]
	addScaledAVX2(&dst[0], &row[0], n, w)
	addPortable(dst[n:], row[n:], w)
}

// addScaledAVX2 handles n components, a positive multiple of 32.
//
//go:noescape
func addScaledAVX2(dst *float32, row *int8, n int, w float32)
