// Package vector compares vectors, exactly and fast. It holds rows of quantised
// vectors of one dimension and finds those nearest to a query by looking at all of
// them: there is no approximate index, so nothing is missed.
//
// # Numbers
//
// A component is kept as an integer of 16 bits, q = round(x/scale), with one scale
// for the vector, so that its largest component is about 32,639. The integer is
// split in two of 8 bits: q = 256*hi + lo, hi in [-127, 127], lo in [-128, 127]. A
// scan multiplies the upper halves only: 384 bytes a vector instead of 1,536, and
// its cosines are right to about .01. The best of them get the full
// product, 65536*hi*hi + 256*(hi*lo + lo*hi) + lo*lo, which is exact. Rounding moves
// a component by at most scale/2, so the cosine of two vectors of length 1 and
// dimension n by less than sqrt(n)*max|x|/32639: about 1e-4 at worst and 1e-5 for
// vectors of models, far below the difference between two texts. So 16 bits replace float32
// at half the size.
//
// Invariant: the arithmetic is of integers, and no floating-point sum is taken, so
// results are the same, bit by bit, on every processor.
package vector

import "math"

const (
	// most is the largest component of a vector: 127*256 + 127.
	most = 32639
	// least is the smallest largest component: below it the scale would have lost
	// digits, as the smallest numbers of float32 do.
	least = most * 0x1p-126
	// Lane is what rows are padded to, in components: the step of the kernels.
	Lane = 32
	// MaxDimension is the longest vector.
	MaxDimension = 8192
)

// Code is a quantised vector. Its planes are padded with zeros to a multiple of 32.
type Code struct {
	Hi, Lo []int8
	// Scale is what one unit is worth; 0 for the vector of zeros.
	Scale float32
}

// Quantize returns the code of v. Components that are not finite count as 0, and a
// vector without a component above 3.8e-34 is one of zeros.
func Quantize(v []float32) Code {
	n := padded(len(v))
	planes := make([]int8, 2*n)
	c := Code{Hi: planes[:n:n], Lo: planes[n:]}
	c.Scale = quantize(c.Hi, c.Lo, v)
	return c
}

// quantize sets the first components of the planes of a code, as many as v has, and returns its scale.
func quantize(hi, lo []int8, v []float32) float32 {
	const infinity = 0x7F800000
	bits := uint32(0) // of numbers without a sign, which are ordered as the numbers are
	for _, x := range v {
		if b := math.Float32bits(x) &^ (1 << 31); b < infinity {
			bits = max(bits, b)
		}
	}
	hi, lo = hi[:len(v)], lo[:len(v)]
	clear(hi)
	clear(lo)
	largest := math.Float32frombits(bits)
	if largest < least {
		return 0
	}
	rounded := float32(float64(largest) / most)
	scale := float64(rounded)
	for i, x := range v {
		q := float64(x) / scale
		if !(math.Abs(q) < most+1.5) { // not finite
			continue
		}
		n := min(max(round(q), -most), most)
		high := (n + 128) >> 8
		hi[i], lo[i] = int8(high), int8(n-high<<8)
	}
	return rounded
}

// round is [math.Round] for a quotient of float32 numbers that fits: such a quotient is never the one
// number, next below a half, for which the sum below would be rounded up.
func round(q float64) int { return int(q + math.Copysign(.5, q)) }

// Floats appends the first dim components of the vector to dst.
func (c *Code) Floats(dst []float32, dim int) []float32 {
	for i := range dim {
		dst = append(dst, float32(256*int(c.Hi[i])+int(c.Lo[i]))*c.Scale)
	}
	return dst
}

// Cosine returns the cosine of two vectors of length 1 and of the same dimension,
// in [-1, 1]; equal both ways round, for the product of the scales is exact.
func Cosine(a, b *Code) float64 {
	n := int64(65536)*int64(dot(a.Hi, b.Hi)) + 256*(int64(dot(a.Hi, b.Lo))+int64(dot(a.Lo, b.Hi))) + int64(dot(a.Lo, b.Lo))
	return min(max(float64(n)*(float64(a.Scale)*float64(b.Scale)), -1), 1)
}

// Rough is Cosine by the upper planes alone: right to about .01, and the lower ones,
// half of a table, need not be in memory.
func Rough(a, b *Code) float64 {
	x := float64(65536*int64(dot(a.Hi, b.Hi))) * (float64(a.Scale) * float64(b.Scale))
	return min(max(x, -1), 1)
}

func padded(n int) int { return (n + Lane - 1) / Lane * Lane }

// dot is the inner product of two planes of equal, padded length.
func dot(a, b []int8) int32 {
	var d [1]int32
	dots(d[:], a, b)
	return d[0]
}
