package gemm

// vectors reports whether the routines below may be called. They process a positive
// multiple of 8 numbers.
func (k Kernel) vectors() bool { return k == AVX2 || k == AVX512 || k == VNNI }

//go:noescape
func geluVector(x *float32, n int, table *float32)

//go:noescape
func siluVector(x, gate *float32, n int, table *float32)

//go:noescape
func largestVector(x *float32, n int) float32

//go:noescape
func expSumVector(x *float32, n int, scale, shift float32, table *float32) float32

//go:noescape
func multiplyVector(x *float32, n int, by float32)

//go:noescape
func layerNormVector(x, gamma, beta *float32, n int, epsilon float32)
