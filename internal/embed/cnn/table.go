package cnn

// The table of piece vectors is compressed by residual product quantization: a vector is
// cut into parts, and each part is the sum of a codeword of each level, times the gain of
// the vector. Frequent pieces, which have low IDs, have more levels.
// Source: Jégou, Douze and Schmid, Product Quantization for Nearest Neighbor Search, 2011.
const (
	// parts is the number of parts of a vector, partDims the number of dimensions of each.
	parts    = 64
	partDims = dimension / parts
)

// row sets dst to the vector of a piece.
func (f *file) row(dst []float32, id int32) {
	var sums [dimension]int32
	codes, books := f.codes, f.books
	for _, n := range f.head.Levels {
		if int(id) >= n {
			break
		}
		row := codes[int(id)*parts:][:parts]
		for i, code := range row {
			word := books[(i*256+int(code))*partDims:][:partDims]
			sum := sums[i*partDims:][:partDims]
			for j, x := range word {
				sum[j] += int32(int8(x))
			}
		}
		codes, books = codes[n*parts:], books[parts*256*partDims:]
	}
	gain := number(f.scales, int(f.gains[id]))
	for i, x := range sums {
		dst[i] = gain * float32(x)
	}
}
