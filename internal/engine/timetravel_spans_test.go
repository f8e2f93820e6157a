package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// pastReads counts the reads of operations, of which each past makes one here, and reads of memories that run at once.
type pastReads struct {
	driver.Backend
	pasts, now atomic.Int32
	leave      chan struct{} // nil: reads are not held up
}

func (p *pastReads) Operations(ctx context.Context, q driver.OperationQuery) ([]api.Operation, error) {
	p.pasts.Add(1)
	return p.Backend.Operations(ctx, q)
}

func (p *pastReads) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	if p.leave != nil {
		p.now.Add(1)
		<-p.leave
	}
	return p.Backend.Get(ctx, ids)
}

// Of a list, some may not be there or not hold; the history is read once.
func TestGetAt_Some(t *testing.T) {
	t.Parallel()
	b := &pastReads{Backend: newPersistent()}
	f := open(t, options{backend: b})
	day := f.now()
	one, two := f.note(hippo.Memory{Content: "port 80"}), f.note(hippo.Memory{Content: "port 81", ValidUntil: day.AddDate(0, 0, -1)})
	f.advance(0, time.Hour)
	at := hippo.Moment{KnownAt: f.now(), ValidAt: day}
	f.advance(0, time.Hour)
	later := f.note(hippo.Memory{Content: "port 82"})
	b.pasts.Store(0)
	got, err := query.GetAt(t.Context(), f.Memories, api.Get{IDs: []hippo.ID{later.ID, two.ID, one.ID, {9}}, At: at, Some: true})
	if err != nil || len(got.Memories) != 1 || got.Memories[0].ID != one.ID {
		t.Errorf("got %+v (%v)", got, err)
	}
	if n := b.pasts.Load(); n != 1 {
		t.Errorf("operations were read %d times", n)
	}
}

// However many callers ask for the past, two verbs run there at once.
func TestKnownAt_TwoAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &pastReads{Backend: newPersistent()}
		f := open(t, options{backend: b})
		m := f.note(hippo.Memory{Content: "port 80"})
		at := hippo.Moment{KnownAt: f.now()}
		f.advance(0, time.Hour)
		b.leave = make(chan struct{})
		var wait sync.WaitGroup
		for range 6 {
			wait.Go(func() {
				if _, err := query.GetAt(t.Context(), f.Memories, api.Get{IDs: []hippo.ID{m.ID}, At: at}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if n := b.now.Load(); n != 2 {
			t.Errorf("%d run at once", n)
		}
		close(b.leave)
		wait.Wait()
	})
}
