package cli

import (
	"errors"
	"math"

	"github.com/dustin/go-humanize"
)

// bytesValue is a flag for a number of bytes, with a unit: MB is 10^6, MiB is 2^20.
type bytesValue int64

// Set implements [pflag.Value].
func (v *bytesValue) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return errors.New("must be a size such as 512MB or 2GB")
	}
	*v = bytesValue(n)
	return nil
}

// Type implements [pflag.Value]: it is how help shows the value.
func (*bytesValue) Type() string { return "size" }

// String implements [pflag.Value].
func (v *bytesValue) String() string { return humanize.IBytes(uint64(max(0, *v))) }
