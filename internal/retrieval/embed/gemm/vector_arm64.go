package gemm

// vectors reports whether the routines below may be called. They process a positive
// multiple of 8 numbers.
func (k Kernel) vectors() bool { return k == NEON }

//go:noescape
func geluVector(x *float32, n int, table *float32)

//go:noescape
func siluVector(x, gate *float32, n int, table *float32)

//go:noescape
func expSumVector(x *float32, n int, scale, shift float32, table *float32) float32

//go:noescape
func multiplyVector(x *float32, n int, by float32)

//go:noescape
func layerNormVector(x, gamma, beta *float32, n int, epsilon float32)

// largestVector needs no instructions but those of Go's max.
func largestVector(x *float32, n int) float32 {
	all := at(x, 0, n)
	a, b, c, d := all[0], all[1], all[2], all[3]
	for ; len(all) >= 4; all = all[4:] {
		a, b, c, d = max(a, all[0]), max(b, all[1]), max(c, all[2]), max(d, all[3])
	}
	return max(a, b, c, d)
}
