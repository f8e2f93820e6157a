//go:build !amd64 && !arm64

package vector

func dots(dst []int32, rows, q []int8) { portable(dst, rows, q) }
