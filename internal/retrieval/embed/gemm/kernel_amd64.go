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

// dequantize sets groups of [CodeRows] rows of numbers of dst, as wide as the kernel's shape, to as many codes
// of a panel times the scales. groups is at least 1. ahead is how many bytes after these codes the next ones are.
func (k Kernel) dequantize(dst *float32, codes *byte, scales *float32, groups, ahead int) {
	switch k {
	case AVX2:
		dequantizeAVX2(dst, codes, scales, groups, ahead)
	case AVX512, VNNI:
		dequantizeAVX512(dst, codes, scales, groups, ahead)
	default:
		dequantizePortable(dst, codes, scales, groups)
	}
}

//go:noescape
func tileAVX2(a *float32, lda int, b, c *float32, ldc, k, rows int)

//go:noescape
func tileAVX512(a *float32, lda int, b, c *float32, ldc, k, rows int)

//go:noescape
func dequantizeAVX2(dst *float32, codes *byte, scales *float32, groups, ahead int)

//go:noescape
func dequantizeAVX512(dst *float32, codes *byte, scales *float32, groups, ahead int)
