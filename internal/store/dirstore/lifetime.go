package dirstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/hippo-memory/hippo"
)

// lifetime makes the calls of a closed store fail.
type lifetime struct {
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	updates sync.RWMutex // held for reading during an update
}

func newLifetime() *lifetime {
	l := &lifetime{}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// end makes later calls fail and waits for the updates that run.
func (l *lifetime) end() {
	l.cancel()
	l.updates.Lock()
	defer l.updates.Unlock()
}

// update calls fn unless the store is closed; [lifetime.end] waits for it.
func (l *lifetime) update(ctx context.Context, fn func() error) error {
	l.updates.RLock()
	defer l.updates.RUnlock()
	if err := l.check(ctx); err != nil {
		return err
	}
	return fn()
}

// check returns an error if the store is closed or ctx has ended.
func (l *lifetime) check(ctx context.Context) error {
	if l.ctx.Err() != nil {
		return fmt.Errorf("%w: store is closed", hippo.ErrUnavailable)
	}
	return ctx.Err()
}

// explain replaces the error of a call during which the store was closed.
func (l *lifetime) explain(err error) error {
	if err != nil && l.ctx.Err() != nil {
		return l.check(context.Background())
	}
	return err
}
