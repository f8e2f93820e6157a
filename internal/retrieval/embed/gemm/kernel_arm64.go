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

// dequantize sets groups of [CodeRows] rows of numbers of dst, as wide as the kernel's shape, to as many codes
// of a panel times the scales. groups is at least 1. ahead is how many bytes after these codes the next ones are.
func (k Kernel) dequantize(dst *float32, codes *byte, scales *float32, groups, ahead int) {
	if k == NEON {
		dequantizeNEON(dst, codes, scales, groups, ahead)
	} else {
		dequantizePortable(dst, codes, scales, groups)
	}
}

// addIntegers reports that there are no products of integers.
func (m *Matrix) addIntegers([]float32, int, []float32, int, int, int, int) bool { return false }

//go:noescape
func tileNEON(a *float32, lda int, b, c *float32, ldc, k, rows int)

//go:noescape
func dequantizeNEON(dst *float32, codes *byte, scales *float32, groups, ahead int)
