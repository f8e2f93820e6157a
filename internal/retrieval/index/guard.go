package index

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/hippo-memory/hippo/internal/store/driver"

	"github.com/hippo-memory/hippo"
)

// ErrDamaged means that the file of the index was cut short, or cannot be read, while it was
// in use. The index was emptied; the next catch-up rebuilds it.
var ErrDamaged = errors.New("the index file was damaged while it was in use")

// guardUpdate is [upkeep.guardRead] for what changes or saves the index: nothing of a damaged file may
// be saved again.
func (u *upkeep) guardUpdate(f func() error) error {
	if u.file.overwritten() {
		return u.discard(errors.New("it was overwritten"))
	}
	return u.guardRead(nil, f)
}

// guardRead runs f, which may read a snapshot beside the current one; nil: it does not. If the file
// turns out to be damaged, by a fault or because somebody has written into it, guardRead empties the
// index, unless that has happened meanwhile, and returns [ErrDamaged].
func (u *upkeep) guardRead(s *snapshot, f func() error) (err error) {
	epoch := u.current.Load().epoch // not the snapshot: that would keep in memory what f merges
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		failed, ok := r.(runtime.Error)
		switch {
		case ok && u.current.Load().epoch != epoch:
			err = errEmptied()
		case ok && (damaged(u, u.current.Load(), failed) || s != nil && !u.file.intact(s)):
			err = u.discard(failed)
		default:
			panic(r)
		}
	}()
	err = f()
	if u.file.overwritten() {
		err = u.discard(errors.New("it was overwritten"))
	}
	return err
}

// damaged reports whether a file that a snapshot lies in is the cause of a panic: it was cut short, so
// that reading it is a fault, or its bytes were overwritten, so that they no longer have their checksums.
func damaged(u *upkeep, s *snapshot, r runtime.Error) bool {
	fault, ok := r.(interface{ Addr() uintptr })
	return ok && u.file.mappings.has(fault.Addr()) || !u.file.intact(s)
}

// discard empties the index and deletes the file, if it is writable. It returns [ErrDamaged].
func (u *upkeep) discard(reason error) error {
	u.opts.Log.Warn("index: rebuilding it", "path", u.opts.Path, "reason", reason)
	u.edit(func(d *draft) { d.reset(&driver.Head{}, d.models) })
	if u.opts.writable() {
		u.file.forget()
	}
	return errEmptied()
}

func errEmptied() error { return fmt.Errorf("index: %w: %w", ErrDamaged, hippo.ErrUnavailable) }
