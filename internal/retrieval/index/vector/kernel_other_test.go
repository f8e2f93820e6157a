//go:build !amd64

package vector

import "testing"

// kernels are those that this processor can run.
func kernels(*testing.T) map[string]func(dst []int32, rows, q []int8) {
	return map[string]func(dst []int32, rows, q []int8){"chosen": dots}
}
