package gemm

import "golang.org/x/sys/cpu"

func detect() []Kernel {
	var ks []Kernel
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		ks = append(ks, AVX2)
		if cpu.X86.HasAVX512F {
			ks = append(ks, AVX512)
			if cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VNNI {
				ks = append(ks, VNNI)
			}
		}
	}
	return ks
}

// tile adds to rows of c, ldc apart, as wide as the kernel's shape, the product
// of as many rows of k numbers of a, lda apart, and k rows of a panel b. rows is
// at least 1 and at most that of the shape.
func (k Kernel) tile(a *float32, lda int, b, c *float32, ldc, n, rows int) {
	switch k {
	case AVX2:
		tileAVX2(a, lda, b, c, ldc, n, rows)
	case AVX512, VNNI:
		tileAVX512(a, lda, b, c, ldc, n, rows)
	default:
		tilePortable(a, lda, b, c, ldc, n, rows)
	}
}

// dequantize sets rows of numbers of dst, as wide as the kernel's shape, to as many codes,
// stride apart, times the scales. rows is at least 1.
func (k Kernel) dequantize(dst *float32, codes *byte, stride int, scales *float32, rows int) {
	switch k {
	case AVX2:
		dequantizeAVX2(dst, codes, stride, scales, rows)
	case AVX512, VNNI:
		dequantizeAVX512(dst, codes, stride, scales, rows)
	default:
		dequantizePortable(dst, codes, stride, scales, rows)
	}
}

//go:noescape
func tileAVX2(a *float32, lda int, b, c *float32, ldc, k, rows int)

//go:noescape
func tileAVX512(a *float32, lda int, b, c *float32, ldc, k, rows int)

//go:noescape
func dequantizeAVX2(dst *float32, codes *byte, stride int, scales *float32, rows int)

//go:noescape
func dequantizeAVX512(dst *float32, codes *byte, stride int, scales *float32, rows int)
