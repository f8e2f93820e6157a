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

//go:noescape
func tileNEON(a *float32, lda int, b, c *float32, ldc, k, rows int)
