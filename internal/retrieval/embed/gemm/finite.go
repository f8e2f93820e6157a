package gemm

import "math"

// NotFinite returns the index of the first number that is infinite or none; -1 if all are finite.
func NotFinite(x []float32) int {
	const exponent = 0xff << 23
	for i, v := range x {
		if math.Float32bits(v)&exponent == exponent {
			return i
		}
	}
	return -1
}
