package engine_test

import (
	"context"

	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/rpc"
)

// loopback carries calls to an engine of the same process, as bytes, as another process would.
type loopback struct {
	*rpc.Dispatcher
	engine *engine.Engine
	// retry: each call is carried out twice, as if the result of the first was lost.
	retry bool
	// lost: the first one does not arrive. between, if not nil, is what others do between the two.
	lost    bool
	between func()
}

func newLoopback(e *engine.Engine) *loopback {
	return &loopback{Dispatcher: rpc.NewDispatcher(func(context.Context) (*engine.Engine, error) { return e, nil }), engine: e}
}

func (l *loopback) Call(ctx context.Context, c *engine.Call, out any) error {
	if l.retry {
		call, err := rpc.Encode(c)
		if err != nil {
			return err
		}
		if !l.lost {
			_, _ = l.Do(ctx, call)
		}
		if l.between != nil {
			l.between()
		}
		c.Retried = true
	}
	call, err := rpc.Encode(c)
	if err != nil {
		return err
	}
	reply, failed := l.Do(ctx, call)
	return rpc.Decode(reply, failed, out)
}

func (l *loopback) Here(context.Context) (*engine.Engine, func() error, error) {
	return l.engine, func() error { return nil }, nil
}

func (l *loopback) Close() error { return l.engine.Close() }
