package index

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/hippo-memory/hippo"
)

// ErrDamaged means that the file of the index was cut short, or cannot be read, while it was
// in use. The index was emptied; the next catch-up rebuilds it.
var ErrDamaged = errors.New("the index file was damaged while it was in use")

// guard turns a panic that a damaged file causes into an error, and empties the index.
func (u *upkeep) guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		failed, ok := r.(runtime.Error)
		if !ok || !u.damaged(failed) {
			panic(r)
		}
		u.discard(failed)
		err = fmt.Errorf("index: %w: %w", ErrDamaged, hippo.ErrUnavailable)
	}()
	return f()
}

// damaged reports whether the file is to blame for a panic: for a fault in it, because it was
// cut short, or because somebody else has overwritten it.
func (u *upkeep) damaged(r runtime.Error) bool {
	fault, ok := r.(interface{ Addr() uintptr })
	return ok && u.file.mappings.has(fault.Addr()) || u.file.changed()
}

// discard empties the index and deletes the file.
func (u *upkeep) discard(reason error) {
	u.opts.Log.Warn("index: rebuilding it", "path", u.opts.Path, "reason", reason)
	u.edit(func(d *draft) { d.reset("", d.models) })
	u.file.forget()
}
