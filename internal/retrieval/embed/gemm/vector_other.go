//go:build !amd64 && !arm64

package gemm

func (k Kernel) vectors() bool { return false }

func geluVector(_ *float32, _ int, _ *float32) { panic("gemm: no vectors") }

func siluVector(_, _ *float32, _ int, _ *float32) { panic("gemm: no vectors") }

func largestVector(_ *float32, _ int) float32 { panic("gemm: no vectors") }

func expSumVector(_ *float32, _ int, _, _ float32, _ *float32) float32 { panic("gemm: no vectors") }

func multiplyVector(_ *float32, _ int, _ float32) { panic("gemm: no vectors") }

func layerNormVector(_, _, _ *float32, _ int, _ float32) { panic("gemm: no vectors") }
