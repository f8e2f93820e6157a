//go:build !amd64 && !arm64

package gemm

func detect() []Kernel { return nil }

func (k Kernel) tile(a *float32, lda int, b, c *float32, ldc, n, rows int) {
	tilePortable(a, lda, b, c, ldc, n, rows)
}

func (k Kernel) dequantize(dst *float32, codes *byte, scales *float32, groups, _ int) {
	dequantizePortable(dst, codes, scales, groups)
}

// addIntegers reports that there are no products of integers.
func (m *Matrix) addIntegers([]float32, int, []float32, int, int, int, int) bool { return false }
