package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// statusTime is how long a server waits for the remotes that it describes.
const statusTime = 10 * time.Second

// Served is how the callers of a server reach the remotes of its store. It is safe for concurrent use.
type Served struct {
	Options
	// Store returns the store, which stays open.
	Store func(context.Context) (*store.Store, error)
	// Why is why the store cannot sync, or need not; nil: it can.
	Why error
}

// Use opens the remotes for a function. The error is [hippo.ErrUnsupported] for a store that cannot sync, and for nil.
func (a *Served) Use(ctx context.Context, fn func(*Remotes) error) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	x, err := Open(ctx, s, a.Options)
	if err != nil {
		return err
	}
	return errors.Join(fn(x), x.Close())
}

func (a *Served) open(ctx context.Context) (*store.Store, error) {
	switch {
	case a == nil:
		return nil, fmt.Errorf("%w: this server does not sync", hippo.ErrUnsupported)
	case a.Why != nil:
		return nil, a.Why
	default:
		return a.Store(ctx)
	}
}

// Status is [Remotes.Status] within ten seconds. Of remotes that do not answer by then, or that another process is using, it returns what was
// seen of them last, with an error.
func (a *Served) Status(ctx context.Context) (*Status, error) {
	s, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	var st *Status
	err = a.Within(ctx, statusTime, func(ctx context.Context, x *Remotes) (err error) {
		st, err = x.Status(ctx)
		return err
	})
	switch {
	case err == nil:
		return st, nil
	case errors.Is(err, hippo.ErrUnavailable) && ctx.Err() == nil:
		return a.last(ctx, s, err)
	default:
		return nil, err
	}
}

// Within is Use with a bound: what hangs then is abandoned, and the error is [hippo.ErrUnavailable].
func (a *Served) Within(ctx context.Context, d time.Duration, fn func(context.Context, *Remotes) error) error {
	late := fmt.Errorf("%w: no answer within %v", hippo.ErrUnavailable, d)
	ctx, cancel := context.WithTimeoutCause(ctx, d, late)
	done := make(chan error, 1)
	go func() {
		defer cancel()
		done <- a.Use(ctx, func(x *Remotes) error { return fn(ctx, x) })
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// last returns what was seen of the remotes, and the error as the reason why that is all.
func (a *Served) last(ctx context.Context, s *store.Store, why error) (*Status, error) {
	list, err := Known(a.Dir)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Err == nil {
			list[i].Err = why
		}
	}
	out := &Status{Remotes: list}
	out.Conflicts, err = conflicts(ctx, s, a.Now().Add(-week))
	return out, err
}
