package engine_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// slowChanges is a back end that passes on its changes when the gate is open, and writes when some
// have been read.
type slowChanges struct {
	driver.Backend
	reading func() // once
	read    chan struct{}
	gate    chan struct{}
}

func newSlowChanges(b driver.Backend) *slowChanges {
	read := make(chan struct{})
	return &slowChanges{b, sync.OnceFunc(func() { close(read) }), read, make(chan struct{})}
}

func (b *slowChanges) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	<-b.read
	return b.Backend.Write(ctx, d, fn)
}

func (b *slowChanges) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		for c, err := range b.Backend.Changes(ctx, since) {
			b.reading()
			select {
			case <-b.gate:
			case <-ctx.Done():
				err = ctx.Err()
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// The file of the index has a new memory after Close, also when the comparison had to bring the
// index up to date first and the memory was stored meanwhile.
func TestRecordCompared_IsInTheSavedIndex(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, path := newPersistent(), indexPath(t)
		plain := open(t, options{backend: b})
		plain.record("The rate limit is 100 requests per minute", .5) // the file does not have it
		slow := newSlowChanges(b)
		f := open(t, options{backend: slow, path: path})
		recorded := make(chan *memory.Comparison, 1)
		go func() {
			draft := fact("The rate limit is 200 requests per minute")
			_, same, err := memory.RecordCompared(t.Context(), f.Memories, &draft)
			if err != nil {
				t.Error(err)
			}
			recorded <- same
		}()
		synctest.Wait() // it is stored, and the comparison waits for the index
		close(slow.gate)
		if same := <-recorded; same == nil || same.Err != nil || len(same.Replaces) != 1 {
			t.Errorf("comparison: %+v", same)
		}
		f.end()
		s := store.New(b, nil)
		x, err := index.Open(t.Context(), s, &index.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Stats().Memories; got != 2 {
			t.Errorf("the file has %d memories, want 2", got)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
}
