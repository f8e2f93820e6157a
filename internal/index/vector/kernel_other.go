//go:build !amd64 && !arm64

package vector

func dots(dst []int32, rows, q []int8) { portable(dst, rows, q) }

func addScaled(dst []float32, row []int8, w float32) { addPortable(dst, row, w) }
