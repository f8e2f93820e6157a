package vector

// portable computes the inner product of each row and q; len(q) is the length of
// a row and a multiple of Lane.
func portable(dst []int32, rows, q []int8) {
	n := len(q)
	for i := range dst {
		row := rows[i*n:][:n]
		var a, b, c, d int32
		for j := 0; j+4 <= n; j += 4 {
			x, y := row[j:j+4:j+4], q[j:j+4:j+4]
			a += int32(x[0]) * int32(y[0])
			b += int32(x[1]) * int32(y[1])
			c += int32(x[2]) * int32(y[2])
			d += int32(x[3]) * int32(y[3])
		}
		dst[i] = a + b + c + d
	}
}

// four is the number of queries that dotsFour takes.
const four = 4

// dotsEach is dotsFour by a call of dots for each query.
func dotsEach(dst []int32, rows, q []int8) {
	n, count := len(q)/four, len(dst)/four
	for i := range four {
		dots(dst[i*count:][:count], rows, q[i*n:][:n])
	}
}

// addPortable is [AddRows] for the components from an index on. The conversion rounds each product, so
// that no compiler fuses it with the addition.
func addPortable(dst []float32, rows []int8, list []int32, weights []float32, from int) {
	for k, i := range list {
		row := rows[int(i)*len(dst):][:len(dst)]
		for j := from; j < len(dst); j++ {
			dst[j] += float32(weights[k] * float32(row[j]))
		}
	}
}
