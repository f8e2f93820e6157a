package gemm

func detect() []Kernel { return []Kernel{NEON} }

// tile adds to rows of c, ldc apart, as wide as the kernel's shape, the product
// of as many rows of n numbers of a, lda apart, and n rows of a panel b. rows is
// at least 1 and at most that of the shape.
func (k Kernel) tile(a *float32, lda int, b, c *float32, ldc, n, rows int) {
	if k == NEON {
		tileNEON(a, lda, b, c, ldc, n, rows)
	} else {
		tilePortable(a, lda, b, c, ldc, n, rows)
	}
}

// dequantize sets rows of numbers of dst, as wide as the kernel's shape, to as many codes,
// stride apart, times the scales. rows is at least 1.
func (k Kernel) dequantize(dst *float32, codes *byte, stride int, scales *float32, rows int) {
	if k == NEON {
		dequantizeNEON(dst, codes, stride, scales, rows)
	} else {
		dequantizePortable(dst, codes, stride, scales, rows)
	}
}

// addIntegers reports that there are no products of integers.
func (m *Matrix) addIntegers([]float32, int, []float32, int, int, int, int) bool { return false }

//go:noescape
func tileNEON(a *float32, lda int, b, c *float32, ldc, k, rows int)

//go:noescape
func dequantizeNEON(dst *float32, codes *byte, stride int, scales *float32, rows int)
