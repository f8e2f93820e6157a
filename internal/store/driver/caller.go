package driver

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
)

// goneKey is the key of what [Unless] was given.
type goneKey struct{}

// Unless returns a context whose writes by [Write] fail if gone reports true when they hold the store: the caller is in another
// process, which may have written the same meanwhile. A write whose caller leaves later has taken place before the caller can
// write itself.
func Unless(ctx context.Context, gone func() bool) context.Context {
	return context.WithValue(ctx, goneKey{}, gone)
}

// Write is [Backend.Write] for the caller of ctx, see [Unless].
func Write(ctx context.Context, b Backend, d Durability, fn func(Tx) error) error {
	gone, ok := ctx.Value(goneKey{}).(func() bool)
	if !ok {
		return b.Write(ctx, d, fn)
	}
	return b.Write(ctx, d, func(tx Tx) error {
		if gone() {
			return fmt.Errorf("%w: the caller has left, nothing was written", hippo.ErrUnavailable)
		}
		return fn(tx)
	})
}
