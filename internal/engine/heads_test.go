package engine_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// countsReads counts the calls that are a round trip each where the store is on a server.
type countsReads struct {
	driver.Backend
	heads, gets atomic.Int64
}

func (b *countsReads) Head(ctx context.Context) (driver.Head, error) {
	b.heads.Add(1)
	return b.Backend.Head(ctx)
}

func (b *countsReads) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	b.gets.Add(1)
	return b.Backend.Get(ctx, ids)
}

// TestRoundTrips: a search or a list asks the store once for its head, and once for the memories that it shows.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	b := &countsReads{Backend: memstore.New(nil)}
	f := open(t, options{backend: b})
	f.record("deploys take ten minutes", .5, "deploy")
	f.record("a rollback takes one minute", .5, "deploy")
	f.search(hippo.Query{Text: "anything"}) // what was recorded is in the index then
	search := func(q hippo.Query) func() error {
		return func() error {
			_, err := query.Search(t.Context(), f.Memories, q)
			return err
		}
	}
	for _, test := range []struct {
		name        string
		call        func() error
		heads, gets int64
	}{
		{"search", search(hippo.Query{Text: "deploy"}), 1, 1},
		{"the same search", search(hippo.Query{Text: "deploy"}), 1, 1},
		{"another search", search(hippo.Query{Text: "rollback"}), 1, 1},
		{"search that counts no use", search(hippo.Query{Text: "minutes", NoTouch: true}), 1, 1},
		{"list", func() error {
			_, err := memory.List(t.Context(), f.Memories, api.List{})
			return err
		}, 1, 1},
	} {
		f.flush()
		b.heads.Store(0)
		b.gets.Store(0)
		if err := test.call(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if heads, gets := b.heads.Load(), b.gets.Load(); heads != test.heads || gets != test.gets {
			t.Errorf("%s: %d heads and %d reads, want %d and %d", test.name, heads, gets, test.heads, test.gets)
		}
	}
}
