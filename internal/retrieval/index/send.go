package index

import (
	"context"
	"errors"
	"math"
	"time"
)

// sendRight is the name of the right to keep snapshots.
const sendRight = "index"

// send keeps a snapshot for others, if that is due.
func send(u *upkeep) {
	if u.rebuilding.Load() || !u.sender.due(u.current.Load(), u.opts.Instant) {
		return
	}
	if err := offer(u.sender.ctx, u); err != nil {
		u.opts.Log.Info("index: no snapshot could be kept for other machines", "path", u.opts.Path, "error", err)
	}
}

// offer keeps a snapshot for others, unless another process does.
func offer(ctx context.Context, u *upkeep) error {
	w, o := u.sender, u.opts.Sharing
	wait := o.patience(u.current.Load().docs())
	last := w.begin()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	right, err := o.Leases.Lease(ctx, sendRight, wait)
	if err != nil || !right.Held {
		return err
	}
	s := u.current.Load()
	newest, err := o.Snapshots.Newest(ctx, s.store, u.opts.form(), s.revision)
	have, needed := s.extent(u.opts.Instant), true
	if newest > last.revision { // another process has kept one, with the vectors that there were
		last = extentOf{newest, have.vectors}
		w.keeps(last)
		needed = have.grown(last, 0)
	}
	if err == nil && needed {
		err = keepFile(ctx, u)
	}
	return errors.Join(err, o.Leases.Release(context.WithoutCancel(ctx), sendRight))
}

// keepFile saves the index and keeps its file for others.
func keepFile(ctx context.Context, u *upkeep) error {
	s := u.current.Load()
	if err := u.save(ctx, tight); err != nil {
		return err
	}
	p, err := pack(u.opts.Path)
	if err != nil {
		return err
	}
	defer p.file.Close() //nolint:errcheck // it was only read
	// Another process may have replaced the file.
	if err := u.opts.misfit(&p.root, s.store, math.MaxUint64); err != nil {
		return err
	}
	if err := u.opts.Sharing.Snapshots.Keep(ctx, s.store, u.opts.form(), p.root.Revision, p.reader()); err != nil {
		return err
	}
	u.sender.keeps(extentOf{p.root.Revision, s.extent(u.opts.Instant).vectors})
	return nil
}

// closeSender ends the work of the sender. What is worth it is kept before that, for a limited time.
func closeSender(u *upkeep) {
	w := u.sender
	if w == nil {
		return
	}
	defer w.stop()
	w.settling.Wait()
	timer := time.AfterFunc(u.opts.Sharing.patience(0), w.stop)
	defer timer.Stop()
	w.work.Close()
	w.hurry()
	send(u)
}
