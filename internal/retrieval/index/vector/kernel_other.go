//go:build !amd64 && !arm64

package vector

func dots(dst []int32, rows, q []int8) { portable(dst, rows, q) }

func dotsFour(dst []int32, rows, q []int8) { dotsEach(dst, rows, q) }

func addRows(dst []float32, rows []int8, list []int32, weights []float32) {
	addPortable(dst, rows, list, weights, 0)
}
